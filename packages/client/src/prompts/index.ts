import type { VerifyOptions, WebhookSecret } from "@promptreg/core/webhooks";
import type { Connection } from "../exchange.ts";
import { PromptCache } from "./cache.ts";
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
   * Loads prompts into the cache, ten at a time.
   * @throws {AggregateError} with every failure, after all have been tried.
   */
  readonly warmUp: (refs: readonly string[]) => Promise<void>;
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

const warmUpConcurrency = 10;

/** Creates the methods for one connection, with a cache of their own. */
export function promptMethods(connection: Connection, options?: PromptCacheOptions): PromptMethods {
  const cache = new PromptCache(connection, options);
  let refresh: WebhookRefresh | undefined;
  return {
    prompt: ((ref, options) => new PromptHandle(cache, ref, options)) as PromptMethods["prompt"],
    async warmUp(refs) {
      const left = refs.map((ref) => new PromptHandle(cache, ref)).values();
      const errors: unknown[] = [];
      const work = async () => {
        for (const handle of left) await handle.get().catch((error) => errors.push(error));
      };
      await Promise.all(Array.from({ length: warmUpConcurrency }, work));
      if (errors.length > 0)
        throw new AggregateError(errors, `${errors.length} of ${refs.length} prompts could not be loaded.`);
    },
    async handleWebhook(...delivery) {
      // Loaded on use, since most applications receive no webhooks.
      const { WebhookRefresh } = await import("./webhook.ts");
      refresh ??= new WebhookRefresh(cache, remember);
      return refresh.handle(...delivery);
    },
    cache,
    close: () => cache.close(),
  };
}
