import type { ChatMessage } from "@promptreg/core/template";
import type { PromptCache } from "./cache.ts";
import { type Fallback, type Target, targetOf } from "./content.ts";
import type { CompiledPrompt } from "./compile.ts";
import type { GetPromptOptions } from "./options.ts";
import type { ResolvedPrompt } from "./resolved.ts";
import type { AddressOf, CompileArguments, ConfigOf, KnownPrompt, LockedPrompts } from "./typed.ts";

/** Loaded by the first prompt that is filled in: who only gets them can do without. */
let compiler: typeof import("./compile.ts") | undefined;

/** Which prompt, and what to do without the registry. */
export interface PromptOptions {
  /** The label to follow; `latest`, the highest version that is not yanked, where neither this nor a version is given. */
  label?: string;
  /** The version to stay with. */
  version?: number;
  /** Serves what the lockfile holds, and asks nobody. */
  locked?: boolean;
  /** What to serve when there is nothing else; a function is called only then. Never in place of a refusal. */
  fallback?: Fallback | (() => Fallback);
}

/** A prompt that is asked for again and again. Making one sends nothing. */
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
   * Gets the prompt: from memory while it is fresh, else from the registry, and while that is away from what is left.
   * @throws {ApiError} what the registry refuses: no stale copy and no fallback stands in for a 401 (unless `onRefused` is `serve`), 403, 404 or 410.
   * @throws {ConnectionError} when the registry is away, and nothing else is there.
   * @throws {NotLockedError} when only what is locked is served, and this is not.
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

/** The handle on a prompt: one that knows what is filled in where the address is locked, and else one that takes all. */
export type HandleOn<Ref extends string, Label extends string, Version extends number> = HandleAt<
  AddressOf<Ref, Label, Version>
>;
