import * as z from "zod";
import { handle, ref, versionNumber, versionNumberText } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op, text } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { Diff, diffQuery, type GetDiff } from "../prompts/compare.ts";
import { message, PromptPath, promptPath } from "../prompts/schemas.ts";
import { body, ChangeRequest, MergedChangeRequest, title } from "./schemas.ts";

/** A prompt's address with a change request's number. */
export interface ChangeRequestPath extends PromptPath {
  /** The number of the change request. */
  n: number;
}
export const ChangeRequestPath: Schema<ChangeRequestPath> = z.strictObject({
  ...promptPath,
  n: versionNumberText,
});

/** Which change requests of a prompt to list. */
export interface ListChangeRequests extends PageQuery {
  /** Default: `open`. */
  state?: ChangeRequest["state"] | "all";
  /** Only those of the account with this handle. */
  author?: string;
  /** Default: `newest`. */
  sort?: "newest" | "updated";
}
const ListChangeRequests: Schema<ListChangeRequests> = z.strictObject({
  ...pageQuery(),
  state: z.enum(["open", "closed", "merged", "all"]).optional(),
  author: handle
    .refine((author) => author !== "me", { error: "cannot be me: name an account by its handle" })
    .optional(),
  sort: z.enum(["newest", "updated"]).optional(),
});

/** The version to propose. */
export interface CreateChangeRequest {
  source: {
    /** The address of your fork, `owner/slug`. */
    ref: string;
    /** Default: its latest version. */
    versionNumber?: number;
  };
  title: string;
  /** Markdown. */
  body?: string | null;
  /**
   * The version of the prompt whose changes the proposed one has already, because its author merged them. Default: the one
   * that the fork was made of, or that its last merge became.
   */
  baseVersionNumber?: number;
}
export const CreateChangeRequest: Schema<CreateChangeRequest> = z
  .strictObject({
    source: z.strictObject({ ref, versionNumber: versionNumber.optional() }),
    title,
    body,
    baseVersionNumber: versionNumber.optional(),
  })
  .meta({ id: "CreateChangeRequest" });

/** What to change. */
export interface UpdateChangeRequest {
  title?: string;
  /** Markdown. */
  body?: string | null;
  /** Another version of the fork to propose. */
  versionNumber?: number;
  /** The version of the prompt whose changes the proposed one has already, because its author merged them. */
  baseVersionNumber?: number;
  /** `closed` closes it, `open` reopens it. */
  state?: "open" | "closed";
}
export const UpdateChangeRequest: Schema<UpdateChangeRequest> = z
  .strictObject({
    title: title.optional(),
    body,
    versionNumber: versionNumber.optional(),
    baseVersionNumber: versionNumber.optional(),
    state: z.enum(["open", "closed"]).optional(),
  })
  .meta({ id: "UpdateChangeRequest" });

/** What to compare, and how to show it. */
export interface GetChangeRequestDiff extends GetDiff {
  /**
   * Default: `base`. `latest` compares the latest version of the prompt with what a merge would make of it. Where both
   * sides changed a file, that is the proposed one, as with `strategy: "theirs"`. Needs an open change request.
   */
  against?: "base" | "latest";
}
export const GetChangeRequestDiff: Schema<GetChangeRequestDiff> = z.strictObject({
  ...diffQuery,
  against: z.enum(["base", "latest"]).optional(),
});

/** How to merge. */
export interface MergeChangeRequest {
  /** The message of the new version. Default: the title of the change request. */
  message?: string | null;
  /** `theirs` takes the proposed file wherever both sides changed one. Default: `auto`, which refuses that. */
  strategy?: "auto" | "theirs";
  /** The newest version that you know. The merge is refused if there is a newer one. */
  expectedVersionNumber?: number;
}
export const MergeChangeRequest: Schema<MergeChangeRequest> = z
  .strictObject({
    message: message.nullish(),
    strategy: z.enum(["auto", "theirs"]).optional(),
    expectedVersionNumber: versionNumber.optional(),
  })
  .meta({ id: "MergeChangeRequest" });

export const changeRequests = {
  /** Lists the change requests of a prompt: the open ones, unless you ask for others. */
  list: op({
    route: "GET /prompts/{owner}/{slug}/change-requests",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: ListChangeRequests,
    results: { 200: json<Page<ChangeRequest>>(pageOf(ChangeRequest)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Proposes a version of your fork to the prompt that it was forked from. A fork can have one open change request. A
   * private fork stays private, but everyone who can see the prompt can read what the proposed version changes.
   */
  create: op({
    route: "POST /prompts/{owner}/{slug}/change-requests",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: "viewers" },
      with: { source: { on: { prompt: ["owner"] }, from: "body.source.ref" } },
    },
    params: PromptPath,
    body: json(CreateChangeRequest),
    results: { 201: json(ChangeRequest), 204: empty() },
    errors: [
      "not_a_fork",
      "prompt_not_published",
      "version_yanked",
      "no_changes",
      "change_request_exists",
      "quota_exceeded",
    ],
    emits: ["change_request.opened"],
  }),
  /** Gets a change request, with what you can do with it. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/change-requests/{n}",
    access: { auth: "optional", scope: "read", on: { change_request: "viewers" }, restricted: {} },
    params: ChangeRequestPath,
    results: { 200: json(ChangeRequest) },
  }),
  /**
   * Edits, closes or reopens a change request. Only its author can edit it. The owner of the prompt and moderators can
   * close and reopen it. A merged one cannot change.
   */
  update: op({
    route: "PATCH /prompts/{owner}/{slug}/change-requests/{n}",
    access: { auth: "required", scope: "write", on: { change_request: ["author"] } },
    params: ChangeRequestPath,
    body: json(UpdateChangeRequest),
    results: { 200: json(ChangeRequest), 204: empty() },
    fields: { state: { allow: ["author", "owner", "moderator"] } },
    errors: [
      "change_request_merged",
      "change_request_exists",
      "source_unavailable",
      "version_yanked",
      "no_changes",
    ],
  }),
  /**
   * Compares the proposed version with its base, the version that the fork last had in common with the prompt, or shows
   * what a merge would change. With `Accept: text/x-diff` it returns a patch.
   */
  diff: op({
    route: "GET /prompts/{owner}/{slug}/change-requests/{n}/diff",
    access: { auth: "optional", scope: "read", on: { change_request: "viewers" }, restricted: {} },
    params: ChangeRequestPath,
    query: GetChangeRequestDiff,
    results: { 200: [json(Diff), text("text/x-diff")] },
    errors: ["change_request_merged", "change_request_closed", "source_unavailable", "merge_conflict"],
  }),
  /**
   * Merges a change request as the next version of the prompt. Each file is taken from the side that changed it. If both
   * sides changed a file, or if the files do not fit together, nothing is merged, and `details` name the files.
   */
  merge: op({
    route: "POST /prompts/{owner}/{slug}/change-requests/{n}/merge",
    access: { auth: "required", scope: "write", on: { change_request: ["owner"] } },
    params: ChangeRequestPath,
    body: json(MergeChangeRequest),
    results: { 200: json(MergedChangeRequest), 204: empty() },
    errors: [
      "change_request_merged",
      "change_request_closed",
      "source_unavailable",
      "version_conflict",
      "merge_conflict",
      "no_changes",
      "quota_exceeded",
    ],
    emits: ["change_request.merged", "prompt.version.created"],
  }),
};
