import * as z from "zod";
import { handle, labelName, moment, plainText, ref } from "../../language/fields.ts";
import { flag, type PageQuery, pageQuery, repeatable } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { license, PromptKind, Rating, tag, Visibility } from "./schemas.ts";

const sorts = ["trending", "newest", "updated", "stars", "installs", "title", "relevance"] as const;
/** An order of prompts: the best first, `title` from a to z. */
export type PromptSort = (typeof sorts)[number];

/** Which prompts are wanted: those that fit every field. */
export interface ListPrompts extends PageQuery {
  /** Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`. */
  q?: string;
  /** One of these kinds. */
  kind?: PromptKind[];
  /** All of these tags. */
  tag?: string[];
  /** The handle of an account. `me` lists all your own prompts, private ones included. */
  owner?: string;
  /** The beginning of the slug, as somebody types it. Only with `owner`. */
  slugPrefix?: string;
  /** An SPDX expression. It must equal the prompt's whole license; case does not matter. */
  license?: string;
  /** Only with `owner=me`: other lists show public prompts alone. */
  visibility?: Visibility;
  /** Only with `owner=me`: other lists show published prompts alone. */
  status?: "draft" | "published";
  /** `mature` prompts appear only when you ask for them, here or in your preferences. */
  rating?: Rating;
  /** Whether at least one eval run of the prompt has ended. */
  hasEvals?: boolean;
  /** Forks of this prompt, `owner/slug`. */
  forkOf?: string;
  /** Updated at this time or later: ISO 8601 with an offset. */
  updatedSince?: string;
  /** Default: `trending`, or `relevance` with `q`. */
  sort?: PromptSort;
  /**
   * Only with `owner`. `version` lists what an application uses at run time, the newest prompts first: a version of each prompt.
   * `changes` lists the numbers of these versions: those that changed since the answer that `If-None-Match` names, else all.
   */
  view?: "summary" | "version" | "changes";
  /** Whose versions the other views show. Prompts without this label are left out. Default: the latest. */
  label?: string;
}

const onlyOfMine = (field: "visibility" | "status") => ({
  check: (query: ListPrompts) => query.owner === "me" || query[field] === undefined,
  path: [field],
  error: "needs owner=me: others are shown what is public and published",
});
const ofVisibility = onlyOfMine("visibility");
const ofStatus = onlyOfMine("status");

const isOfVersions = ({ view }: ListPrompts) => view === "version" || view === "changes";
/** What the list of changes takes: its ETag stands for all of the list. */
const ofChanges: readonly string[] = ["view", "owner", "label"] satisfies (keyof ListPrompts)[];

export const ListPrompts: Schema<ListPrompts> = z
  .strictObject({
    ...pageQuery(),
    q: plainText({ min: 1, max: 200 }).optional(),
    kind: repeatable(PromptKind).optional(),
    tag: repeatable(tag).optional(),
    owner: handle.optional(),
    slugPrefix: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/, {
        error: "must be the beginning of a slug: lower-case letters, digits and hyphens",
      })
      .optional(),
    license: license.optional(),
    visibility: Visibility.optional(),
    status: z.enum(["draft", "published"]).optional(),
    rating: Rating.optional(),
    hasEvals: flag.optional(),
    forkOf: ref.optional(),
    updatedSince: moment.optional(),
    sort: z.enum(sorts).optional(),
    view: z.enum(["summary", "version", "changes"]).optional(),
    label: labelName.optional(),
  })
  .refine(ofVisibility.check, ofVisibility)
  .refine(ofStatus.check, ofStatus)
  .refine(({ owner, slugPrefix }) => owner !== undefined || slugPrefix === undefined, {
    path: ["slugPrefix"],
    error: "needs owner: a slug is a name among the prompts of an account",
  })
  .refine(({ q, sort }) => q !== undefined || sort !== "relevance", {
    path: ["sort"],
    error: "relevance is an order of what q finds: send q, or another sort",
  })
  .refine((query) => !isOfVersions(query) || query.owner !== undefined, {
    path: ["view"],
    error: "version and changes need owner",
  })
  .refine((query) => !isOfVersions(query) || (query.q ?? query.sort) === undefined, {
    path: ["view"],
    error: "version has an order of its own: leave out q and sort",
  })
  .refine(
    (query) => query.view !== "changes" || Object.keys(query).every((name) => ofChanges.includes(name)),
    {
      path: ["view"],
      error: "changes takes owner and label alone, and has no pages",
    },
  )
  .refine((query) => isOfVersions(query) || query.label === undefined, {
    path: ["label"],
    error: "needs view=version or view=changes",
  });
