import type { ChatMessage } from "@promptreg/core/template";
import type { PromptCache } from "./cache.ts";
import { type Fallback, type Target, targetOf } from "./content.ts";
import type { CompiledPrompt } from "./compile.ts";
import type { GetPromptOptions } from "./options.ts";
import type { ResolvedPrompt } from "./resolved.ts";
import type { AddressOf, CompileArguments, ConfigOf, KnownPrompt, LockedPrompts } from "./typed.ts";

/** Loaded by the first `compile`: applications that only call `get` do not need it. */
let compiler: typeof import("./compile.ts") | undefined;

/** The version of a prompt to get, and what to do during an outage. */
export interface PromptOptions {
  /** The label to follow. Default: `latest`, the highest version that is not yanked. */
  label?: string | undefined;
  /** The version to use, always. */
  version?: number | undefined;
  /** Serves the version of the lockfile and sends no request. */
  locked?: boolean | undefined;
  /**
   * What to serve when the registry is unavailable and nothing is cached or locked. A function is called only then. Not used when
   * the registry refuses the request.
   */
  fallback?: Fallback | (() => Fallback) | undefined;
}

/** A prompt that an application gets again and again, through the cache. Creating a handle sends no request. */
export class PromptHandle<Known extends KnownPrompt = {}> {
  readonly #cache: PromptCache;
  readonly #target: Target;
  readonly #asked: { isLocked: boolean; fallback: PromptOptions["fallback"] };

  /** Made by `client.prompt(…)`. */
  constructor(cache: PromptCache, ref: string, { locked = false, fallback, ...which }: PromptOptions = {}) {
    this.#cache = cache;
    this.#target = targetOf(ref, which);
    this.#asked = { isLocked: locked, fallback };
  }

  /**
   * Gets the prompt: from memory while it is fresh, else from the registry. While the registry is unavailable: a stale
   * cache entry, the lockfile, or the fallback.
   * @throws {ApiError} if the registry refuses the request. A 401 (unless `onRefused` is `serve`), 403, 404 or 410 is
   * never hidden by a stale cache entry or a fallback.
   * @throws {ConnectionError} if the registry is unavailable, and nothing is cached, locked or given as a fallback.
   * @throws {NotLockedError} if only locked prompts are served and this one is not locked.
   */
  get(options?: GetPromptOptions): Promise<ResolvedPrompt> {
    return this.#cache.get(this.#target, options ? { ...options, ...this.#asked } : this.#asked);
  }

  /**
   * Gets the prompt and fills it in.
   * @throws {RenderError} for values that are missing, unknown or do not fit, unless `strict` is false; and as `get`.
   */
  async compile<Message = ChatMessage>(
    ...given: CompileArguments<Known, Message>
  ): Promise<CompiledPrompt<Message, ConfigOf<Known>>> {
    const [values, { signal, ...options } = {}] = given as CompileArguments<{}, Message>;
    const prompt = await this.get(signal && { signal });
    compiler ??= await import("./compile.ts");
    return compiler.compile(prompt, values, options) as CompiledPrompt<Message, ConfigOf<Known>>;
  }
}

type HandleAt<Address> = Address extends keyof LockedPrompts
  ? LockedPrompts[Address] extends infer Known extends KnownPrompt
    ? PromptHandle<Known>
    : never
  : PromptHandle;

/** The handle of a prompt. It knows the variables if the address is locked, and accepts all otherwise. */
export type HandleOn<Ref extends string, Label extends string, Version extends number> = HandleAt<
  AddressOf<Ref, Label, Version>
>;
