export type * from "@promptreg/core";
export { ApiError } from "@promptreg/core/errors";
export { parseRef } from "@promptreg/core/refs";
export type { Attempt, Fetch, Incoming, OnAttempt, Outcome, Outgoing } from "./attempts.ts";
export { type ClientOptions, createClient } from "./client.ts";
export { ConnectionError } from "./errors.ts";
export type {
  Answered,
  Call,
  CallOptions,
  Client,
  Input,
  List,
  Method,
  OtherMedium,
  Result,
} from "./methods.ts";
export { routes } from "./routes.ts";
export type { TokenSource } from "./token.ts";
export type { GetPromptOptions, PromptCacheEvent, PromptCacheOptions } from "./prompts/options.ts";
export type { Fallback, PromptContent } from "./prompts/content.ts";
export type { PromptDisk } from "./prompts/disk.ts";
export type { PromptHandle, PromptOptions } from "./prompts/handle.ts";
export type { PromptMethods } from "./prompts/index.ts";
export { type LockedPrompt, type Lockfile, NotLockedError, readLockfile } from "./prompts/lockfile.ts";
export type { CompiledPrompt } from "./prompts/compile.ts";
export type { PromptSource, ResolvedPrompt, StaleReason, Tool } from "./prompts/resolved.ts";
export type * from "./prompts/typed.ts";
export type { HandledWebhook } from "./prompts/webhook.ts";
