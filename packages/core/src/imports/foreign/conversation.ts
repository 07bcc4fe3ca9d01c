import type { Found } from "../detector.ts";
import { draftOf } from "./draft.ts";
import { firstWords } from "./values.ts";

/** A message that somebody wrote to a model. */
export interface Said {
  id: string;
  text: string;
}

/** What a user said to a model in one conversation. */
export interface Conversation {
  title: string | null;
  said: readonly Said[];
}

/** Shorter messages after the first one are questions and answers. Few of them are prompts. */
const minLength = 400;
/** Characters of short first messages that wait in memory for the end of an export, and those that each takes beside its own. */
const waitingRoom = 20_000_000;
const beside = 1_000;

/**
 * The prompts in conversations: the first message of each, and the long ones after it. Few short ones are prompts, so they come
 * last, where a limit leaves them out first.
 */
export async function* promptsIn(conversations: AsyncIterable<Conversation>): AsyncGenerator<Found> {
  const waiting: Found[] = [];
  let room = waitingRoom;
  try {
    for await (const { title, said } of conversations) {
      const messages = said.filter(({ text }) => text.trim() !== "");
      const chosen = messages.filter((message, nth) => nth === 0 || isLong(message));
      for (const [nth, message] of chosen.entries()) {
        const draft = draftOfMessage(title, message, nth + 1);
        // Titles and spaces of others can be long.
        const size = beside + message.id.length + message.text.length + (title?.length ?? 0);
        if (isLong(message) || size > room) yield draft;
        else {
          waiting.push(draft);
          room -= size;
        }
      }
    }
  } catch (error) {
    yield* waiting;
    throw error;
  }
  yield* waiting;
}

const isLong = ({ text }: Said): boolean => text.trim().length >= minLength;

function draftOfMessage(title: string | null, { id, text }: Said, number: number): Found {
  const name = title ?? firstWords(text);
  return draftOf({
    part: id,
    name,
    title: number === 1 ? name : `${name} (${number})`,
    items: [{ role: "user", content: text.trim() }],
    syntax: "none",
  });
}
