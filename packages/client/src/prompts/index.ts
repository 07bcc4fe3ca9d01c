import type { VerifyOptions, WebhookSecret } from "@promptreg/core/webhooks";
import { unexpected } from "../errors.ts";
import { type Connection, exchange } from "../exchange.ts";
import { PromptCache } from "./cache.ts";
import { targetOf } from "./content.ts";
import { entryOf, isVersion } from "./read.ts";
import type { PromptCacheOptions } from "./options.ts";
import { type HandleOn, PromptHandle, type PromptOptions } from "./handle.ts";
import type { LockedPrompts, RefOf } from "./typed.ts";
import { remember } from "./remember.ts";
import type { HandledWebhook, WebhookRefresh } from "./webhook.ts";
import type { Request } from "../web.ts";

/** The methods of a client for prompts, in addition to the operations of the API. */
export interface PromptMethods {
  /**
   * Returns a handle for `owner/slug`, `owner/slug@3` or `owner/slug@production`, and sends no request. If `promptreg codegen`
   * wrote the address into its file, the handle knows the types of the variables.
   * @throws {SyntaxError} if the address is malformed. @throws {TypeError} if a label and a version are given.
   */
  readonly prompt: <
    // Empty here. After `promptreg codegen`, editors offer the locked addresses.
    // oxlint-disable-next-line typescript/no-redundant-type-constituents
    Ref extends keyof LockedPrompts | (string & {}),
    Label extends string = "latest",
    Version extends number = never,
  >(
    ref: RefOf<Ref, Label, Version>,
    options?: PromptOptions & { label?: Label; version?: Version },
  ) => HandleOn<Ref, Label, Version>;
  /**
   * Loads prompts into the cache, ten at a time; or what a label points to (default: `latest`) for all listed prompts of an owner, a hundred at
   * a time. Of the token's own account these are all prompts, of others the public ones.
   * @throws {AggregateError} with every failure, after all have been tried. @throws {SyntaxError} if a name is malformed. For an owner
   * also {ApiError} or {ConnectionError}.
   */
  readonly warmUp: (prompts: readonly string[] | { owner: string; label?: string }) => Promise<void>;
  /**
   * Verifies a delivery and refreshes the prompt that it reports, in this process alone: others notice within the time to
   * live. A repeated event does nothing, nor does one that is older than an event already handled.
   * @throws {WebhookVerificationError} whose `statusCode` is the status to return.
   */
  readonly handleWebhook: (
    request: Request,
    secret: WebhookSecret,
    options?: VerifyOptions,
  ) => Promise<HandledWebhook>;
  /** The cache entries: their number, their size, and a method to delete them. */
  readonly cache: Pick<PromptCache, "size" | "bytes" | "clear">;
  /**
   * Ends all requests of the cache for good. Resolves when its entries are on disk. After that, gets serve cache entries, and
   * nothing keeps the process alive.
   */
  readonly close: () => Promise<void>;
}

/** Creates the methods for one connection, with a cache of their own. */
export function promptMethods(connection: Connection, options?: PromptCacheOptions): PromptMethods {
  const cache = new PromptCache(connection, options);
  let refresh: WebhookRefresh | undefined;
  return {
    prompt: ((ref, options) => new PromptHandle(cache, ref, options)) as PromptMethods["prompt"],
    async warmUp(prompts) {
      const { warmUp } = await import("./warm-up.ts");
      const load = (ref: string) => new PromptHandle(cache, ref).get();
      return warmUp(cache.parts, prompts, {
        connection,
        exchange,
        load,
        entryOf,
        isVersion,
        unexpected,
        targetOf,
      });
    },
    async handleWebhook(...delivery) {
      // Loaded on use, since most applications receive no webhooks.
      const { WebhookRefresh } = await import("./webhook.ts");
      refresh ??= new WebhookRefresh(cache.parts, remember);
      return refresh.handle(...delivery);
    },
    cache,
    close: () => cache.close(),
  };
}
