import type { Answered } from "@promptreg/client";
import type { Client } from "./client.ts";

/** A call of any operation: a promise of its answer, and of a list each item. */
export interface Sent extends Promise<unknown>, AsyncIterable<unknown> {
  withResponse: () => Promise<Answered<unknown>>;
}

/** An operation of which only its id is known. */
export type AnyMethod = (input: Readonly<Record<string, unknown>>, options?: object) => Sent;

/** The client's method of an operation: that of `prompts.labels.put` is `client.prompts.labels.put`. */
export const methodOf = (client: Client, id: string): AnyMethod =>
  id.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], client) as AnyMethod;
