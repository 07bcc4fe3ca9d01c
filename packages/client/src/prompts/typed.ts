import type { ChatMessage, RenderVersionOptions, Values } from "@promptreg/core/template";
import type { PromptContent } from "./content.ts";
import type { GetPromptOptions } from "./options.ts";

/**
 * What `promptreg codegen` read of a lockfile: by address, the `values` that a prompt is filled in with, the names of
 * the places for `messages` in it, and its `config`. Empty until the file that it wrote belongs to the program.
 */
export interface LockedPrompts {}

/** Empty, but where `promptreg codegen --strict` has been: there an address that is not locked does not type-check. */
export interface PromptTypes {}

/** What is known of a prompt while types are checked: nothing, where its address is in no file. */
export interface KnownPrompt {
  values?: object;
  messages?: string;
  config?: object;
}

/** The config of a prompt, as far as it is known. */
export type ConfigOf<Known extends KnownPrompt> = Known extends { config: infer Config extends object }
  ? Config
  : PromptContent["config"];

/** How a prompt is filled in of which the values are known, and the names of its places for messages. */
type KnownOptions<Places, Message> = Omit<RenderVersionOptions<Message>, "messages"> &
  GetPromptOptions &
  ([Places] extends [string]
    ? { messages: Readonly<Record<Places, readonly Message[]>> }
    : { messages?: Readonly<Record<string, never>> });

/** What `compile` takes: of a prompt that is known its own values, which can be left out where it needs none. */
export type CompileArguments<Known extends KnownPrompt, Message = ChatMessage> = Known extends {
  values: infer Own;
}
  ? Known extends { messages: infer Places }
    ? [values: {} extends Own ? Own | undefined : Own, options: KnownOptions<Places, Message>]
    : {} extends Own
      ? [values?: Own, options?: KnownOptions<undefined, Message>]
      : [values: Own, options?: KnownOptions<undefined, Message>]
  : [values?: Values, options?: RenderVersionOptions<Message> & GetPromptOptions];

/** The address as lockfiles have it, `latest` included. */
export type AddressOf<
  Ref extends string,
  Label extends string,
  Version extends number,
> = Ref extends `${string}@${string}` ? Ref : `${Ref}@${[Version] extends [never] ? Label : Version}`;

/** The address as it is written, unless each has to be locked and this one is not. What is no literal can be any. */
export type RefOf<Ref extends string, Label extends string, Version extends number> = PromptTypes extends {
  strict: true;
}
  ? {} extends Record<AddressOf<Ref, Label, Version>, unknown>
    ? Ref
    : AddressOf<Ref, Label, Version> extends keyof LockedPrompts
      ? Ref
      : keyof LockedPrompts
  : Ref;
