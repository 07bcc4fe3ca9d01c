import type { ChatMessage, RenderVersionOptions, Values } from "@promptreg/core/template";
import type { PromptContent } from "./content.ts";
import type { GetPromptOptions } from "./options.ts";

/**
 * The types that `promptreg codegen` derives from a lockfile. By address: the `values` of a prompt, the names of its
 * placeholders for `messages`, and its `config`. Empty until the generated file is part of the program.
 */
export interface LockedPrompts {}

/** Empty. After `promptreg codegen --strict`, an address that is not locked does not type-check. */
export interface PromptTypes {}

/** What the compiler knows of a prompt: nothing, if its address is in no generated file. */
export interface KnownPrompt {
  values?: object;
  messages?: string;
  config?: object;
}

/** The config of a prompt, as far as it is known. */
export type ConfigOf<Known extends KnownPrompt> = Known extends { config: infer Config extends object }
  ? Config
  : PromptContent["config"];

/** The options of `compile` for a prompt with known values and known placeholders. */
type KnownOptions<Placeholders, Message> = Omit<RenderVersionOptions<Message>, "messages"> &
  GetPromptOptions &
  ([Placeholders] extends [string]
    ? { messages: Readonly<Record<Placeholders, readonly Message[]>> }
    : { messages?: Readonly<Record<string, never>> });

/** The arguments of `compile`. A known prompt takes its own values, which are optional if it needs none. */
export type CompileArguments<Known extends KnownPrompt, Message = ChatMessage> = Known extends {
  values: infer Own;
}
  ? Known extends { messages: infer Placeholders }
    ? [values: {} extends Own ? Own | undefined : Own, options: KnownOptions<Placeholders, Message>]
    : {} extends Own
      ? [values?: Own, options?: KnownOptions<undefined, Message>]
      : [values: Own, options?: KnownOptions<undefined, Message>]
  : [values?: Values, options?: RenderVersionOptions<Message> & GetPromptOptions];

/** The address as in a lockfile, with `latest`. */
export type AddressOf<
  Ref extends string,
  Label extends string,
  Version extends number,
> = Ref extends `${string}@${string}` ? Ref : `${Ref}@${[Version] extends [never] ? Label : Version}`;

/** The address as written. If all addresses must be locked, one that is not locked is an error. A type `string` can be any. */
export type RefOf<Ref extends string, Label extends string, Version extends number> = PromptTypes extends {
  strict: true;
}
  ? {} extends Record<AddressOf<Ref, Label, Version>, unknown>
    ? Ref
    : AddressOf<Ref, Label, Version> extends keyof LockedPrompts
      ? Ref
      : keyof LockedPrompts
  : Ref;
