// The part of a program that has a prompt. It is given its client, so that a test can give it another.
import type { Client } from "@promptreg/client";

/** Stands in where the registry is away and nothing of it is kept. */
const fallback = "Answer {{customer}} politely: {{message}}";

/** Says how models are to answer customers, by the version that the address leads to. */
export function openReplies(client: Client, ref: string) {
  // Made once. What it gets is kept for a minute, and while the registry is away.
  const reply = client.prompt(ref, { fallback });
  // Variables that are missing or misspelt are refused here, before a model sees them.
  return (customer: string, message: string) => reply.compile({ customer, message });
}
