import * as z from "zod";
import type { Schema } from "../../language/schema.ts";
import { CollectionSummary } from "../collections/schemas.ts";
import { MakeSummary } from "../makes/schemas.ts";
import { PostSummary } from "../posts/schemas.ts";
import { PromptSummary } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";

/** A piece of a text, and whether it is what was searched for. It is plain text, never HTML. */
export interface Segment {
  text: string;
  match: boolean;
}
const Segment: Schema<Segment> = z
  .strictObject({ text: z.string(), match: z.boolean() })
  .meta({ id: "Segment" });
const segments = z.array(Segment).optional();

/** A prompt that was found. Of `highlights` there are only the fields that match; `entry` is an excerpt of its entry file. */
export interface FoundPrompt {
  type: "prompt";
  /** How well it matches, for comparison with the others of this search. */
  score: number;
  highlights: { title?: Segment[]; summary?: Segment[]; entry?: Segment[] };
  entity: PromptSummary;
}
const FoundPrompt: Schema<FoundPrompt> = z
  .strictObject({
    type: z.literal("prompt"),
    score: z.number(),
    highlights: z.strictObject({ title: segments, summary: segments, entry: segments }),
    entity: PromptSummary,
  })
  .meta({ id: "FoundPrompt" });

/** An account that was found. Of `highlights` there are only the fields that match. */
export interface FoundUser {
  type: "user";
  /** How well it matches, for comparison with the others of this search. */
  score: number;
  highlights: { handle?: Segment[]; name?: Segment[]; bio?: Segment[] };
  entity: UserRef;
}
const FoundUser: Schema<FoundUser> = z
  .strictObject({
    type: z.literal("user"),
    score: z.number(),
    highlights: z.strictObject({ handle: segments, name: segments, bio: segments }),
    entity: UserRef,
  })
  .meta({ id: "FoundUser" });

/** A collection that was found. Of `highlights` there are only the fields that match. */
export interface FoundCollection {
  type: "collection";
  /** How well it matches, for comparison with the others of this search. */
  score: number;
  highlights: { title?: Segment[]; description?: Segment[] };
  entity: CollectionSummary;
}
const FoundCollection: Schema<FoundCollection> = z
  .strictObject({
    type: z.literal("collection"),
    score: z.number(),
    highlights: z.strictObject({ title: segments, description: segments }),
    entity: CollectionSummary,
  })
  .meta({ id: "FoundCollection" });

/** A make that was found. Of `highlights` there are only the fields that match; `body` is an excerpt of it. */
export interface FoundMake {
  type: "make";
  /** How well it matches, for comparison with the others of this search. */
  score: number;
  highlights: { title?: Segment[]; summary?: Segment[]; body?: Segment[] };
  entity: MakeSummary;
}
const FoundMake: Schema<FoundMake> = z
  .strictObject({
    type: z.literal("make"),
    score: z.number(),
    highlights: z.strictObject({ title: segments, summary: segments, body: segments }),
    entity: MakeSummary,
  })
  .meta({ id: "FoundMake" });

/** A post that was found. Of `highlights` there are only the fields that match; `body` is an excerpt of it. */
export interface FoundPost {
  type: "post";
  /** How well it matches, for comparison with the others of this search. */
  score: number;
  highlights: { title?: Segment[]; summary?: Segment[]; body?: Segment[] };
  entity: PostSummary;
}
const FoundPost: Schema<FoundPost> = z
  .strictObject({
    type: z.literal("post"),
    score: z.number(),
    highlights: z.strictObject({ title: segments, summary: segments, body: segments }),
    entity: PostSummary,
  })
  .meta({ id: "FoundPost" });

/** Something that was found. `type` says what `entity` is. */
export type Found = FoundPrompt | FoundUser | FoundCollection | FoundMake | FoundPost;
const Found: Schema<Found> = z.union([FoundPrompt, FoundUser, FoundCollection, FoundMake, FoundPost]);

/** A value, and how many of the best matches have it. */
export interface FacetValue {
  value: string;
  count: number;
}
const facet = z
  .array(z.strictObject({ value: z.string(), count: z.int() }).meta({ id: "FacetValue" }))
  .max(20);

/** What narrows the search: for each filter the values that most of the best matches have, the most frequent first. */
export interface Facets {
  type: FacetValue[];
  kind: FacetValue[];
  tag: FacetValue[];
  license: FacetValue[];
}
const Facets: Schema<Facets> = z
  .strictObject({ type: facet, kind: facet, tag: facet, license: facet })
  .meta({ id: "Facets" });

/** A page of what was found. The pages end after 1,000 items. */
export interface SearchPage {
  items: Found[];
  facets: Facets;
  nextCursor: string | null;
}
export const SearchPage: Schema<SearchPage> = z.strictObject({
  items: z.array(Found),
  facets: Facets,
  nextCursor: z.string().nullable(),
});

/** What somebody may be about to type. */
export interface Suggestion {
  type: "prompt" | "collection" | "make" | "tag" | "user";
  /** For people: a title, a tag, a name. */
  label: string;
  /** The address: `owner/slug`, the id of a collection, the slug of a make, the tag, the handle. */
  value: string;
}
/** All suggestions, on one page. */
export interface Suggestions {
  items: Suggestion[];
  nextCursor: null;
}
export const Suggestions: Schema<Suggestions> = z
  .strictObject({
    items: z
      .array(
        z
          .strictObject({
            type: z.enum(["prompt", "collection", "make", "tag", "user"]),
            label: z.string(),
            value: z.string(),
          })
          .meta({ id: "Suggestion" }),
      )
      .max(10),
    nextCursor: z.null(),
  })
  .meta({ id: "Suggestions" });
