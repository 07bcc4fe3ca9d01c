import type { EventActor, EventPrompt } from "../../language/event.ts";
import { type Describe, did } from "../../language/notification.ts";
import type { CommentCreated } from "./events.ts";

/** A comment, as who hears of it is told. */
export interface WrittenComment extends CommentCreated {
  /** Null if the comment is about no prompt. */
  prompt: EventPrompt | null;
  actor: EventActor | null;
}

// An id says nothing to people.
const placeOf = ({ comment: { target } }: WrittenComment): string =>
  target.type === "post" ? "a post" : target.id;

// Without the text of the comment: it can be hidden or deleted, and a notification or a mail cannot.
const about = ({ comment: { id, url }, actor }: WrittenComment) => ({
  body: did("Written", actor),
  url,
  target: { type: "comment" as const, id },
});

export const commentNotifications: Record<
  "comment.created" | "comment.mentioned",
  Describe<WrittenComment, "comment">
> = {
  "comment.created": (data) => ({
    title: `New comment on ${placeOf(data)}`,
    ...about(data),
  }),
  "comment.mentioned": (data) => ({
    title: `You were mentioned in a comment on ${placeOf(data)}`,
    ...about(data),
  }),
};
