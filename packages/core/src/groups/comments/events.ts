import * as z from "zod";
import { event } from "../../language/event.ts";
import { commentId, CommentTarget } from "./discussed.ts";

/** The data of `comment.created`. */
export interface CommentCreated {
  comment: {
    id: string;
    url: string;
    target: CommentTarget;
    parentId: string | null;
    /** The beginning of what was written, in one line of at most 280 characters. */
    excerpt: string;
  };
}

export const commentEvents = {
  "comment.created": event<CommentCreated>({
    description:
      "Someone commented on the prompt, on one of its versions or change requests, on a make or on a post.",
    watchLevels: ["all"],
    isPromptOptional: true,
    data: z.strictObject({
      comment: z.strictObject({
        id: commentId,
        url: z.string(),
        target: CommentTarget,
        parentId: commentId.nullable(),
        excerpt: z.string(),
      }),
    }),
    example: {
      comment: {
        id: "cmt_01jd0000000000000000000000",
        url: "https://prompts.example/api/v1/comments?target=prompt:alice/pr-review#cmt_01jd0000000000000000000000",
        target: { type: "prompt", id: "alice/pr-review" },
        parentId: null,
        excerpt: "Version 12 asks for a summary first. That works well.",
      },
    },
  }),
};
