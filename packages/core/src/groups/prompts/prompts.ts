import * as z from "zod";
import { moment, slug } from "../../language/fields.ts";
import { type Page, pageOf } from "../../language/list.ts";
import { empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { diff } from "./compare.ts";
import { download } from "./download.ts";
import { draft } from "./draft.ts";
import { forks } from "./forks.ts";
import { labels } from "./labels.ts";
import { ListPrompts } from "./list.ts";
import { raw } from "./raw.ts";
import {
  about,
  CreatedPrompt,
  FileInput,
  labelNames,
  ListedChanges,
  ListedVersion,
  message,
  Prompt,
  type PromptKind,
  PromptPath,
  PromptSummary,
  type Rating,
  ResolvedVersion,
  type Visibility,
} from "./schemas.ts";
import { UpdatePrompt } from "./update.ts";
import { versions } from "./versions.ts";
import { oneOfVersionAndLabel, type WhichVersion, whichVersion } from "./which-version.ts";

/** A new prompt with the files of its first version. */
export interface CreatePrompt {
  kind: PromptKind;
  /** Made from the title when absent. */
  slug?: string;
  title: string;
  summary?: string | null;
  tags?: string[];
  /** An SPDX expression. */
  license?: string | null;
  /** Default: `private`. */
  visibility?: Visibility;
  /** `general` when absent. */
  rating?: Rating;
  files: FileInput[];
  message?: string | null;
  /** Labels to create on version 1. */
  labels?: string[];
  /** False saves the files as a draft, without a version, an event or labels. */
  publish?: boolean;
}
const labelsWithoutVersion = {
  check: ({ publish, labels }: { publish?: boolean | undefined; labels?: string[] | undefined }) =>
    publish !== false || labels === undefined || labels.length === 0,
  error: "point to a version, and a draft has none",
  path: ["labels"],
};
export const CreatePrompt: Schema<CreatePrompt> = z
  .strictObject({
    ...about,
    slug: slug.optional(),
    files: z.array(FileInput).min(1).max(200),
    message: message.nullish(),
    labels: labelNames.optional(),
    publish: z.boolean().optional(),
  })
  .refine(labelsWithoutVersion.check, labelsWithoutVersion)
  .meta({ id: "CreatePrompt" });

/** Which version of a prompt to get, and in which form. */
export interface GetPrompt extends WhichVersion {
  /** `version` returns only what an application polls for. */
  view?: "full" | "version";
  /** A time in the past. Returns the version that `label` pointed to then. */
  at?: string;
}
const GetPrompt: Schema<GetPrompt> = z
  .strictObject({
    ...whichVersion,
    view: z.enum(["full", "version"]).optional(),
    at: moment.optional(),
  })
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel)
  .refine(({ at, label }) => at === undefined || (label !== undefined && label !== "latest"), {
    error: "goes with a label, and not with latest, which has no history",
    path: ["at"],
  });

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const prompts = {
  /**
   * Lists and searches the public prompts or, with `owner=me`, all of your own. With `view=version` it gets what a label points
   * to, for all prompts of an owner. Such a page ends early if it has many megabytes.
   */
  list: op({
    route: "GET /prompts",
    access: { auth: "optional", scope: "read", restricted: {} },
    query: ListPrompts,
    results: {
      200: json<Page<PromptSummary> | Page<ListedVersion> | ListedChanges>(
        z.union([pageOf(PromptSummary), pageOf(ListedVersion), ListedChanges]),
      ),
    },
    fields: { owner: { callerFor: "me" } },
    errors: ["invalid_cursor"],
    rate: { policy: "search", when: "q" },
    canWait: true,
  }),
  /** Creates a prompt with a published version 1 and the labels sent, or, with `publish: false`, as a draft. */
  create: op({
    route: "POST /prompts",
    access: { auth: "required", scope: "write", restricted: { creates: true, labels: "body.labels" } },
    body: json(CreatePrompt, largeBody),
    results: { 201: json(CreatedPrompt) },
    errors: ["slug_taken", "quota_exceeded", "invalid_file", "invalid_entry", "invalid_variables"],
    emits: ["prompt.version.created", "prompt.label.moved"],
  }),
  /**
   * Gets a prompt at its latest version, at a given version, or at the version that a label points to or once pointed
   * to.
   */
  get: op({
    route: "GET /prompts/{owner}/{slug}",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: GetPrompt,
    results: { 200: json<Prompt | ResolvedVersion>(z.union([Prompt, ResolvedVersion])) },
    canWait: true,
  }),
  /**
   * Updates the title, the visibility and the other details of a prompt. Returns its latest version, without the
   * content of files. A moderator can change the rating of other people's prompts, and nothing else.
   */
  update: op({
    route: "PATCH /prompts/{owner}/{slug}",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: ["owner", "admin"] },
      restricted: { creates: true },
    },
    params: PromptPath,
    body: json(UpdatePrompt),
    results: { 200: json(Prompt), 204: empty() },
    fields: { rating: { allow: ["owner", "moderator", "admin"] } },
    errors: ["slug_taken"],
  }),
  /** Deletes a prompt. Its address then answers 410 and is never used again. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}",
    access: { auth: "required", scope: "write", on: { prompt: ["owner", "admin"] } },
    params: PromptPath,
    results: { 204: empty() },
    emits: ["prompt.deleted"],
  }),
  forks: forks as typeof forks,
  draft: draft as typeof draft,
  versions: versions as typeof versions,
  labels: labels as typeof labels,
  raw: raw as typeof raw,
  /**
   * Downloads a version: all of its files as `zip` or `tar.gz`, or a zip of what a tool reads. If a format leaves something
   * out, the header `X-Format-Warning` says so.
   */
  download: download as typeof download,
  /**
   * Compares two versions: their files line by line, their variables and their settings. With `Accept: text/x-diff` it
   * returns a patch. `git apply` then turns the files of the first version into exactly those of the second, binary
   * files included. With `context=0`, Git needs `--unidiff-zero`.
   */
  diff,
};
