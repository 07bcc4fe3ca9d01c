import * as z from "zod";
import { handle, plainText, ref, slug, versionNumberText } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery, repeatable } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { tag } from "../prompts/schemas.ts";
import { files } from "./files.ts";
import { galleryItems } from "./media.ts";
import { parts } from "./parts.ts";
import { makeLinks } from "./prompts.ts";
import {
  CreateMake,
  FamilyTree,
  LinkedMake,
  Make,
  MakePath,
  MakeStatus,
  MakeSummary,
  RemixMake,
  UpdateMake,
} from "./schemas.ts";

/** Which makes to list: those that fit every field. */
export interface ListMakes extends PageQuery {
  /** Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`. */
  q?: string;
  /** The handle of an account. */
  maker?: string;
  /** Those with an approved link to this prompt, `owner/slug`. */
  prompt?: string;
  /** All of these tags. */
  tag?: string[];
  /** Remixes of this make, by its slug. */
  remixOf?: string;
  /** Only with `mine=true`: other lists show published makes alone. */
  status?: MakeStatus;
  /** All your own makes, drafts and unlisted ones included. */
  mine?: boolean;
  /** Default: `trending`, or `newest` with `mine=true`. */
  sort?: "newest" | "trending" | "stars";
}
const ListMakes: Schema<ListMakes> = z
  .strictObject({
    ...pageQuery(),
    q: plainText({ min: 1, max: 200 }).optional(),
    maker: handle
      .refine((maker) => maker !== "me", {
        error: "cannot be me: your own makes are listed by mine=true",
      })
      .optional(),
    prompt: ref.optional(),
    tag: repeatable(tag).optional(),
    remixOf: slug.optional(),
    status: MakeStatus.optional(),
    mine: flag.optional(),
    sort: z.enum(["newest", "trending", "stars"]).optional(),
  })
  .refine(({ mine, status }) => mine === true || status === undefined, {
    path: ["status"],
    error: "needs mine=true: others are shown what is published",
  });

/** Whose family tree to return. */
export interface FamilyQuery {
  /** `owner/slug`. */
  prompt: string;
  /** How many steps to go from it, 1 to 5. Default: 3. */
  depth?: number;
}
const FamilyQuery: Schema<FamilyQuery> = z.strictObject({
  prompt: ref,
  depth: z
    .string()
    .regex(/^[1-5]$/, { error: "must be a whole number from 1 to 5" })
    .transform(Number)
    .meta({ type: "integer", minimum: 1, maximum: 5 })
    .optional(),
});

/** Which makes of a prompt's gallery to list. */
export interface GalleryQuery extends PageQuery {
  /** `owner/slug`. */
  prompt: string;
  /** Only those that were made with this version. */
  version?: number;
}
const GalleryQuery: Schema<GalleryQuery> = z.strictObject({
  ...pageQuery(),
  prompt: ref,
  version: versionNumberText.optional(),
});

/** Which links of your inbox to list. */
export interface InboxQuery extends PageQuery {
  /** Only those to this prompt of yours, `owner/slug`. */
  prompt?: string;
}
const InboxQuery: Schema<InboxQuery> = z.strictObject({ ...pageQuery(), prompt: ref.optional() });

const aboutPrompt = {
  auth: "optional",
  scope: "read",
  on: { prompt: "viewers" },
  from: "query.prompt",
} as const;

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const makes = {
  /** Lists the public makes or, with `mine=true`, all of your own. Trending and stars are an hour behind at most. */
  list: op({
    route: "GET /makes",
    access: { auth: "optional", scope: "read" },
    query: ListMakes,
    results: { 200: json<Page<MakeSummary>>(pageOf(MakeSummary)) },
    fields: { mine: { callerFor: true } },
    errors: ["invalid_cursor"],
    rate: { policy: "search", when: "q" },
  }),
  /** Creates a make, as a draft or published. You can have 1,000. */
  create: op({
    route: "POST /makes",
    access: { auth: "required", scope: "write" },
    body: json(CreateMake),
    results: { 201: json(Make), 204: empty() },
    errors: [
      "slug_taken",
      "link_exists",
      "prompt_not_published",
      "version_yanked",
      "not_found",
      "quota_exceeded",
    ],
    emits: ["make.linked", "make.approved"],
  }),
  /** Gets a make with its gallery, its files, its parts and its links to prompts. */
  get: op({
    route: "GET /makes/{slug}",
    access: { auth: "optional", scope: "read", on: { make: "viewers" } },
    params: MakePath,
    results: { 200: json(Make) },
  }),
  /**
   * Changes a make, or publishes it. A new slug leaves a redirect. The owners of the prompts that it links to hear of it when it is
   * published first.
   */
  update: op({
    route: "PATCH /makes/{slug}",
    access: { auth: "required", scope: "write", on: { make: ["maker", "admin"] } },
    params: MakePath,
    body: json(UpdateMake),
    results: { 200: json(Make), 204: empty() },
    errors: ["slug_taken"],
    emits: ["make.linked", "make.approved"],
  }),
  /** Deletes a make. Its slug stays taken. */
  delete: op({
    route: "DELETE /makes/{slug}",
    access: { auth: "required", scope: "write", on: { make: ["maker", "moderator"] } },
    params: MakePath,
    results: { 204: empty() },
  }),
  files: files as typeof files,
  media: galleryItems as typeof galleryItems,
  parts: parts as typeof parts,
  prompts: makeLinks as typeof makeLinks,
  /**
   * Copies the texts, the parts and the links of a make into a new draft of yours. Files and media stay where they are. The links wait
   * for the owners of their prompts again.
   */
  remix: op({
    route: "POST /makes/{slug}/remix",
    access: { auth: "required", scope: "write", on: { make: "viewers" } },
    params: MakePath,
    body: json(RemixMake),
    results: { 201: json(Make), 204: empty() },
    errors: ["slug_taken", "quota_exceeded"],
  }),
  /**
   * Gets what a prompt was forked from, its forks, the public makes that link to them, and their remixes, up to 500 in all. You see what
   * lists show you, and your own.
   */
  familyTree: op({
    route: "GET /makes/family-tree",
    access: aboutPrompt,
    query: FamilyQuery,
    results: { 200: json(FamilyTree) },
  }),
  /** Lists the approved makes of a prompt, pinned ones first, then the last approved. Your own unlisted ones are among them. */
  gallery: op({
    route: "GET /makes/gallery",
    access: aboutPrompt,
    query: GalleryQuery,
    results: { 200: json<Page<LinkedMake>>(pageOf(LinkedMake)) },
    errors: ["invalid_cursor"],
  }),
  /** Lists the links to your prompts that wait for your decision, the newest first. */
  inbox: op({
    route: "GET /makes/inbox",
    access: { auth: "required", scope: "read" },
    query: InboxQuery,
    results: { 200: json<Page<LinkedMake>>(pageOf(LinkedMake)) },
    errors: ["invalid_cursor"],
  }),
};
