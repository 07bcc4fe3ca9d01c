import * as z from "zod";
import { id, line, prose, slug, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { Media } from "../media/schemas.ts";
import { tagNames } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";

/**
 * A draft is seen by its author, what is in review by moderators too, what is published by everybody. A post that is published stays so
 * to its readers while a later text of it is in review.
 */
export type PostStatus = "draft" | "in_review" | "published";
export const PostStatus: Schema<PostStatus> = z.enum(["draft", "in_review", "published"]);

/** What a moderator decided: to publish a text, not to publish it, or to take it back. */
export type ReviewDecision = "approved" | "rejected" | "unpublished";

/** The last decision of a moderator. */
export interface PostReview {
  decision: ReviewDecision;
  /** For the author. */
  reason: string | null;
  at: string;
}
const PostReview: Schema<PostReview> = z
  .strictObject({
    decision: z.enum(["approved", "rejected", "unpublished"]),
    reason: z.string().nullable(),
    at: timestamp,
  })
  .meta({ id: "PostReview" });

/** What an author says to moderators about a text that waits for them. */
export interface Submission {
  /** The text that waits. A decision about it names it. */
  revisionId: string;
  note: string | null;
  at: string;
}
const Submission: Schema<Submission> = z
  .strictObject({ revisionId: id("rev"), note: z.string().nullable(), at: timestamp })
  .meta({ id: "Submission" });

/** The text that is being written, where a post shows another. */
export interface WorkingCopy {
  title: string;
  /** Markdown, up to 200 KiB. */
  body: string;
  summary: string | null;
  savedAt: string;
}
export const WorkingCopy: Schema<WorkingCopy> = z
  .strictObject({ title: z.string(), body: z.string(), summary: z.string().nullable(), savedAt: timestamp })
  .meta({ id: "WorkingCopy" });

/** A post as lists show it. */
export interface PostSummary {
  id: string;
  /** Its author's other posts have other slugs. */
  slug: string;
  url: string;
  title: string;
  summary: string | null;
  author: UserRef;
  tags: string[];
  cover: Media | null;
  /** The series that it is a part of. */
  series: { id: string; title: string } | null;
  status: PostStatus;
  /** Whether its author has written what is not published. Others are not told. */
  hasUnpublishedChanges: boolean;
  /** At 200 words a minute, 1 at least. */
  readingMinutes: number;
  votes: { up: number; down: number };
  commentCount: number;
  createdAt: string;
  /** When something last changed that everybody sees, or its draft. */
  updatedAt: string;
  /** When it was published first. */
  publishedAt: string | null;
  /** With a token: your vote, and what you may do. */
  viewer?: { isAuthor: boolean; canEdit: boolean; vote: 1 | -1 | null };
}
const summary = {
  id: id("pst"),
  slug,
  url: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  author: UserRef,
  tags: z.array(z.string()),
  cover: Media.nullable(),
  series: z
    .strictObject({ id: id("ser"), title: z.string() })
    .meta({ id: "SeriesRef" })
    .nullable(),
  status: PostStatus,
  hasUnpublishedChanges: z.boolean(),
  readingMinutes: z.int(),
  votes: z.strictObject({ up: z.int(), down: z.int() }).meta({ id: "PostVotes" }),
  commentCount: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: timestamp.nullable(),
  viewer: z
    .strictObject({ isAuthor: z.boolean(), canEdit: z.boolean(), vote: z.literal([1, -1]).nullable() })
    .meta({ id: "PostViewer" })
    .optional(),
};
export const PostSummary: Schema<PostSummary> = z.strictObject(summary).meta({ id: "PostSummary" });

/** What somebody wrote. It shows the published text, or the draft while nothing is published. */
export interface Post extends Omit<PostSummary, "series"> {
  /** The series that it is a part of, and its place among those that you see there: 1 comes first. */
  series: { id: string; title: string; position: number } | null;
  /** Markdown, up to 200 KiB. */
  body: string;
  /** The body as HTML that is safe in a page; null while it is not rendered yet. */
  html: string | null;
  /** For its author, and for moderators while it is in review: the text that is being written; null if the post shows it already. */
  workingCopy: WorkingCopy | null;
  /** For its author and moderators. */
  review: PostReview | null;
  /** For its author and moderators, while it is in review. */
  submission: Submission | null;
}
export const Post: Schema<Post> = z
  .strictObject({
    ...summary,
    series: z
      .strictObject({ id: id("ser"), title: z.string(), position: z.int() })
      .meta({ id: "SeriesPlace" })
      .nullable(),
    body: z.string(),
    html: z.string().nullable(),
    workingCopy: WorkingCopy.nullable(),
    review: PostReview.nullable(),
    submission: Submission.nullable(),
  })
  .meta({ id: "Post" });

const maxBytes = 200 * 1024;
const encoder = new TextEncoder();
const title = line({ min: 1, max: 140 });
const text = {
  title: title.optional(),
  body: prose({ max: maxBytes })
    .refine((words) => encoder.encode(words).length <= maxBytes, {
      error: "must be at most 200 KiB of UTF-8",
    })
    .optional(),
  summary: line({ max: 280 }).nullish(),
};

/** The text of a post. What is absent stays as it is in the working copy. */
export interface AutosavePost {
  title?: string;
  /** Markdown, up to 200 KiB. */
  body?: string;
  summary?: string | null;
}
export const AutosavePost: Schema<AutosavePost> = z.strictObject(text).meta({ id: "AutosavePost" });

/** A working copy that was saved. */
export interface Autosaved {
  workingCopy: WorkingCopy;
  /** For the `If-Match` of the next one. */
  etag: string;
  savedAt: string;
}
export const Autosaved: Schema<Autosaved> = z
  .strictObject({ workingCopy: WorkingCopy, etag: z.string(), savedAt: timestamp })
  .meta({ id: "Autosaved" });

/** What a post says beside its text. It changes at once, also what everybody sees. */
interface AboutPost {
  tags?: string[];
  /** A picture of yours that is ready; null for none. */
  coverMediaId?: string | null;
  /** A series of yours; null for none. It stands last there. */
  seriesId?: string | null;
  /** Default: made of the title. */
  slug?: string;
}
const about = {
  tags: tagNames.optional(),
  coverMediaId: id("med").nullish(),
  seriesId: id("ser").nullish(),
  slug: slug.optional(),
};

/** A new post. */
export interface CreatePost extends AutosavePost, AboutPost {
  title: string;
}
export const CreatePost: Schema<CreatePost> = z
  .strictObject({ ...text, ...about, title })
  .meta({ id: "CreatePost" });

/** A moderator's decision about a post that is in review. */
export interface ReviewPost {
  decision: "approved" | "rejected";
  /** The text that was read: `submission.revisionId`. If another one waits by now, the decision is refused. */
  revisionId: string;
  /** The author sees it. */
  reason?: string | null;
}
const ReviewPost: Schema<ReviewPost> = z
  .strictObject({
    decision: z.enum(["approved", "rejected"]),
    revisionId: id("rev"),
    reason: prose({ max: 2_000 }).nullish(),
  })
  .meta({ id: "ReviewPost" });

/** What to change of a post. What is absent stays. Its text changes in the working copy. */
export interface UpdatePost extends AutosavePost, AboutPost {
  /** For moderators, alone: it decides about what was submitted. */
  review?: ReviewPost;
}
export const UpdatePost: Schema<UpdatePost> = z
  .strictObject({ ...text, ...about, review: ReviewPost.optional() })
  .refine(({ review, ...others }) => review === undefined || Object.keys(others).length === 0, {
    path: ["review"],
    error: "must stand alone: a moderator decides about the text as it is",
  })
  .meta({ id: "UpdatePost" });

/** A text to submit. */
export interface SubmitPost {
  /** For the moderators who review it. */
  note?: string | null;
}
export const SubmitPost: Schema<SubmitPost> = z
  .strictObject({ note: prose({ max: 2_000 }).nullish() })
  .meta({ id: "SubmitPost" });

/** Why a post is taken back. */
export interface UnpublishPost {
  /** If a moderator does it, its author sees it. */
  reason?: string | null;
}
export const UnpublishPost: Schema<UnpublishPost> = z
  .strictObject({ reason: prose({ max: 2_000 }).nullish() })
  .meta({ id: "UnpublishPost" });

/** The id of a post. */
export interface PostPath {
  id: string;
}
export const postPath = { id: id("pst") };
export const PostPath: Schema<PostPath> = z.strictObject(postPath);
