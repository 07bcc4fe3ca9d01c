import * as z from "zod";
import { id, line, prose, slug, timestamp } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { UserRef } from "../users/schemas.ts";
import { postLimits } from "./limits.ts";
import { PostSummary } from "./schemas.ts";

/** Posts of one author in an order, as lists show them. */
export interface SeriesSummary {
  id: string;
  /** Its owner's other series have other slugs. */
  slug: string;
  title: string;
  description: string | null;
  owner: UserRef;
  /** How many of its posts you see. */
  postCount: number;
  createdAt: string;
  updatedAt: string;
}
const summary = {
  id: id("ser"),
  slug,
  title: z.string(),
  description: z.string().nullable(),
  owner: UserRef,
  postCount: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const SeriesSummary: Schema<SeriesSummary> = z.strictObject(summary).meta({ id: "SeriesSummary" });

/** A series with its posts. */
export interface Series extends SeriesSummary {
  /** In their order: published ones, and for the owner all. */
  posts: PostSummary[];
}
export const Series: Schema<Series> = z
  .strictObject({ ...summary, posts: z.array(PostSummary) })
  .meta({ id: "Series" });

/** What can be said of a series. */
interface AboutSeries {
  description?: string | null;
  /** Default: made of the title. */
  slug?: string;
}
const title = line({ min: 1, max: 80 });
const about = { description: prose({ max: 2_000 }).nullish(), slug: slug.optional() };

/** A new series. */
export interface CreateSeries extends AboutSeries {
  title: string;
}
export const CreateSeries: Schema<CreateSeries> = z
  .strictObject({ title, ...about })
  .meta({ id: "CreateSeries" });

/** What to change of a series. What is absent stays. */
export interface UpdateSeries extends AboutSeries {
  title?: string;
}
export const UpdateSeries: Schema<UpdateSeries> = z
  .strictObject({ title: title.optional(), ...about })
  .meta({ id: "UpdateSeries" });

/** An order of the posts of a series. */
export interface ReorderSeries {
  /** All posts of the series, each once. */
  postIds: string[];
}
const ReorderSeries: Schema<ReorderSeries> = z
  .strictObject({ postIds: z.array(id("pst")).max(postLimits.postsPerSeries) })
  .meta({ id: "ReorderSeries" });

/** The id of a series. */
export interface SeriesPath {
  id: string;
}
const SeriesPath: Schema<SeriesPath> = z.strictObject({ id: id("ser") });
const ListSeries: Schema<PageQuery> = z.strictObject(pageQuery());

const ofOwner = { auth: "required", scope: "write", on: { series: ["owner"] } } as const;

export const series = {
  /** Lists your own series, the newest first. */
  list: op({
    route: "GET /posts/series",
    access: { auth: "required", scope: "read" },
    query: ListSeries,
    results: { 200: json<Page<SeriesSummary>>(pageOf(SeriesSummary)) },
    errors: ["invalid_cursor"],
  }),
  /** Creates a series. You can have 200. */
  create: op({
    route: "POST /posts/series",
    access: { auth: "required", scope: "write" },
    body: json(CreateSeries),
    results: { 201: json(Series), 204: empty() },
    errors: ["slug_taken", "quota_exceeded"],
  }),
  /** Gets a series with its published posts in order. Its owner sees all of them. Others see one that has any. */
  get: op({
    route: "GET /posts/series/{id}",
    access: { auth: "optional", scope: "read", on: { series: "viewers" } },
    params: SeriesPath,
    results: { 200: json(Series) },
  }),
  /** Changes what a series says about itself. */
  update: op({
    route: "PATCH /posts/series/{id}",
    access: { ...ofOwner, on: { series: ["owner", "moderator"] } },
    params: SeriesPath,
    body: json(UpdateSeries),
    results: { 200: json(Series), 204: empty() },
    errors: ["slug_taken"],
  }),
  /** Deletes a series. Its posts stay. */
  delete: op({
    route: "DELETE /posts/series/{id}",
    access: { ...ofOwner, on: { series: ["owner", "moderator"] } },
    params: SeriesPath,
    results: { 204: empty() },
  }),
  /** Puts the posts of a series in another order: all of them, also those that are not published. */
  reorder: op({
    route: "POST /posts/series/{id}/reorder",
    access: ofOwner,
    params: SeriesPath,
    body: json(ReorderSeries),
    results: { 200: json(Series), 204: empty() },
    errors: ["order_mismatch"],
  }),
};
