import type { Found } from "../detector.ts";
import { draftOf } from "./draft.ts";
import { firstWords } from "./values.ts";

/** A message that somebody wrote to a model. */
export interface Said {
  id: string;
  text: string;
}

/** Shorter messages are questions and answers in a conversation. Few of them are prompts, and thousands would hide those. */
const minLength = 400;

/** The prompts in a conversation: the long messages of its user. */
export function* promptsIn(title: string | null, said: Iterable<Said>): Generator<Found> {
  let count = 0;
  for (const { id, text } of said) {
    if (text.trim().length < minLength) continue;
    count++;
    const name = title ?? firstWords(text);
    yield draftOf({
      part: id,
      name,
      title: count === 1 ? name : `${name} (${count})`,
      items: [{ role: "user", content: text.trim() }],
      syntax: "none",
    });
  }
}
