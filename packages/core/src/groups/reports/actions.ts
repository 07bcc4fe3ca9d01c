import type { ReportedKind } from "./reported.ts";

/** What a moderator can do about what is reported. */
export type ReportAction = "hidden" | "removed" | "rated";

/** The operation that does something about a reported thing, on the thing itself or on the prompt of a version. */
export interface Acting {
  operation:
    | "prompts.update"
    | "prompts.delete"
    | "prompts.versions.yank"
    | "comments.hide"
    | "comments.delete"
    | "examples.reject"
    | "examples.delete"
    | "collections.update"
    | "collections.delete"
    | "makes.delete"
    | "posts.unpublish"
    | "posts.delete";
  body?: Readonly<Record<string, string>>;
  /** The field of the body that says why. */
  reasonIn?: "reason";
}

/**
 * What each action does with each kind. It is an operation that exists anyway, so that its permissions hold, and nobody can do more
 * because of a report. What is missing here cannot be done: change requests are closed, and accounts suspended, in other ways.
 */
export const reportActions: Readonly<Record<ReportedKind, Readonly<Partial<Record<ReportAction, Acting>>>>> =
  {
    prompt: {
      hidden: { operation: "prompts.update", body: { visibility: "private" } },
      removed: { operation: "prompts.delete" },
      rated: { operation: "prompts.update", body: { rating: "mature" } },
    },
    version: { hidden: { operation: "prompts.versions.yank", reasonIn: "reason" } },
    change_request: {},
    comment: {
      hidden: { operation: "comments.hide", reasonIn: "reason" },
      removed: { operation: "comments.delete" },
    },
    example: {
      hidden: { operation: "examples.reject", reasonIn: "reason" },
      removed: { operation: "examples.delete" },
    },
    collection: {
      hidden: { operation: "collections.update", body: { visibility: "private" } },
      removed: { operation: "collections.delete" },
    },
    make: { removed: { operation: "makes.delete" } },
    post: {
      hidden: { operation: "posts.unpublish", reasonIn: "reason" },
      removed: { operation: "posts.delete" },
    },
    user: {},
  };
