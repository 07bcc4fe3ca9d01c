import type { VerifyOptions, WebhookSecret } from "@promptreg/core/webhooks";
import type { Connection } from "../call.ts";
import { PromptCache } from "./cache.ts";
import type { PromptCacheOptions } from "./options.ts";
import { type HandleOn, PromptHandle, type PromptOptions } from "./handle.ts";
import type { LockedPrompts, RefOf } from "./typed.ts";
import { remember } from "./remember.ts";
import type { HandledWebhook, WebhookRefresh } from "./webhook.ts";
import type { Request } from "../web.ts";

/** What a client does with prompts beside the operations of the API. */
export interface PromptMethods {
  /**
   * Gives a handle on `owner/slug`, `owner/slug@3` or `owner/slug@production`; nothing is sent yet. Where the address is
   * in the file that `promptreg codegen` wrote, it knows what the prompt is filled in with.
   * @throws {SyntaxError} for what is no address. @throws {TypeError} where a label and a version are given.
   */
  readonly prompt: <
    // Empty here, but not where `promptreg codegen` has been: editors then offer what is locked.
    // oxlint-disable-next-line typescript/no-redundant-type-constituents
    Ref extends keyof LockedPrompts | (string & {}),
    Label extends string = "latest",
    Version extends number = never,
  >(
    ref: RefOf<Ref, Label, Version>,
    options?: PromptOptions & { label?: Label; version?: Version },
  ) => HandleOn<Ref, Label, Version>;
  /**
   * Fetches prompts before they are asked for, ten at a time.
   * @throws {AggregateError} of those that could not be had, when all have been tried.
   */
  readonly warmUp: (refs: readonly string[]) => Promise<void>;
  /**
   * Verifies a delivery and refreshes what it says has moved, in this process alone: others notice within the time to
   * live. An event that came before, or before one that was handled, does nothing.
   * @throws {WebhookVerificationError} whose `statusCode` is what to answer.
   */
  readonly handleWebhook: (
    request: Request,
    secret: WebhookSecret,
    options?: VerifyOptions,
  ) => Promise<HandledWebhook>;
  /** The prompts that are kept: how many, how large, and how to forget them. */
  readonly cache: Pick<PromptCache, "size" | "bytes" | "clear">;
  /**
   * Ends what the cache is asking, for good, and resolves when what it keeps is on the disk. Then gets serve what is there,
   * and nothing holds the process any more.
   */
  readonly close: () => Promise<void>;
}

const warmedAtOnce = 10;

/** Makes them for one connection, with a cache of their own. */
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
      await Promise.all(Array.from({ length: warmedAtOnce }, work));
      if (errors.length > 0)
        throw new AggregateError(errors, `${errors.length} of ${refs.length} prompts could not be had.`);
    },
    async handleWebhook(...delivery) {
      // Most applications get no webhooks, and need not load what verifies them.
      const { WebhookRefresh } = await import("./webhook.ts");
      refresh ??= new WebhookRefresh(cache, remember);
      return refresh.handle(...delivery);
    },
    cache,
    close: () => cache.close(),
  };
}
