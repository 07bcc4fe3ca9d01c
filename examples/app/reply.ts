// The part of a program that uses a prompt. It gets its client as a parameter, so that a test can pass another one.
import type { Client } from "@promptreg/client";

/** Used when the registry is down and there is no cache entry. */
const fallback = "Answer {{customer}} politely: {{message}}";

/** Returns a function that makes the messages for a model, from the version that `ref` resolves to. */
export function openReplies(client: Client, ref: string) {
  // Create the handle once. It caches the prompt for a minute, and longer while the registry is down.
  const reply = client.prompt(ref, { fallback });
  // A missing or misspelt variable throws here, before a model sees it.
  return (customer: string, message: string) => reply.compile({ customer, message });
}
