export type * from "@promptreg/core";
export { ApiError } from "@promptreg/core/errors";
export { parseRef } from "@promptreg/core/refs";
export { RenderError, render, renderVersion, withoutFrontmatter } from "@promptreg/core/template";
export { type ClientOptions, createClient } from "./client.ts";
export { ConnectionError } from "./errors.ts";
export type { CallOptions, Client, Input, Method, OtherMedium, Result } from "./methods.ts";
export { routes } from "./routes.ts";
