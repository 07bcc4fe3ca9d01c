import * as z from "zod";
import { id, line, prose, ref, slug, timestamp, versionNumber, webUrl } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { Media } from "../media/schemas.ts";
import { license, tagNames } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";
import { type Embed as EmbedShape, embedProviders, readEmbed } from "./embed.ts";
import { makeLimits } from "./limits.ts";

/** A draft is seen by its maker alone. */
export type MakeStatus = "draft" | "published";
export const MakeStatus: Schema<MakeStatus> = z.enum(["draft", "published"]);
/** Who finds a make that is published: everyone, or who has its address. */
export type MakeVisibility = "public" | "unlisted";
export const MakeVisibility: Schema<MakeVisibility> = z.enum(["public", "unlisted"]);

/** A link waits for the owner of its prompt. A link to your own prompt is approved at once. */
export type LinkStatus = "pending" | "approved" | "rejected";
export const LinkStatus: Schema<LinkStatus> = z.enum(["pending", "approved", "rejected"]);

/** That a make was made with a version of a prompt. */
export interface MakeLink {
  id: string;
  prompt: {
    /** `owner/slug`. */
    ref: string;
    title: string;
  };
  versionNumber: number;
  status: LinkStatus;
  /** Why it was rejected. */
  reason: string | null;
  /** Whether it stands first in the gallery of the prompt. */
  pinned: boolean;
  /** What the maker says about it. */
  note: string | null;
  /** Who approved or rejected it; null while it is pending. */
  decidedBy: UserRef | null;
  decidedAt: string | null;
}
export const MakeLink: Schema<MakeLink> = z
  .strictObject({
    id: id("lnk"),
    prompt: z.strictObject({ ref, title: z.string() }).meta({ id: "LinkedPrompt" }),
    versionNumber,
    status: LinkStatus,
    reason: z.string().nullable(),
    pinned: z.boolean(),
    note: z.string().nullable(),
    decidedBy: UserRef.nullable(),
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: "MakeLink" });

export type Embed = EmbedShape;
export const Embed: Schema<EmbedShape> = z
  .strictObject({ provider: z.enum(embedProviders), url: z.string(), embedUrl: z.string() })
  .meta({ id: "Embed" });

/** A picture, a video or a model in the gallery of a make, or something on another site. */
export interface GalleryItem {
  id: string;
  type: "image" | "video" | "model3d" | "embed";
  /** Null for an embed. Others than the maker are shown media that are ready. */
  media: Media | null;
  embed: EmbedShape | null;
  caption: string | null;
  /** What it shows, for those who cannot see it. */
  alt: string | null;
  /** Whether it stands for the make in lists. */
  cover: boolean;
  /** 1 comes first. */
  position: number;
}
export const GalleryItem: Schema<GalleryItem> = z
  .strictObject({
    id: id("gal"),
    type: z.enum(["image", "video", "model3d", "embed"]),
    media: Media.nullable(),
    embed: Embed.nullable(),
    caption: z.string().nullable(),
    alt: z.string().nullable(),
    cover: z.boolean(),
    position: z.int(),
  })
  .meta({ id: "GalleryItem" });

/** A file that can be downloaded. It is never rewritten. */
export interface MakeFile {
  id: string;
  label: string;
  description: string | null;
  /** The name under which it is downloaded. */
  filename: string;
  /** In bytes. */
  size: number;
  /** As its bytes say, not its sender. */
  mediaType: string;
  /** The digest of its bytes, in hexadecimal. */
  sha256: string;
  downloads: number;
  /** 1 comes first. */
  position: number;
}
export const MakeFile: Schema<MakeFile> = z
  .strictObject({
    id: id("mfl"),
    label: z.string(),
    description: z.string().nullable(),
    filename: z.string(),
    size: z.int(),
    mediaType: z.string(),
    sha256: z.string(),
    downloads: z.int(),
    position: z.int(),
  })
  .meta({ id: "MakeFile" });

/** An amount of money. */
export interface Price {
  /** A decimal number as text, with a point and at most four digits behind it, such as `12.50`. */
  amount: string;
  /** Three letters of ISO 4217, such as `EUR`. */
  currency: string;
}
export const Price: Schema<Price> = z
  .strictObject({
    amount: z
      .string()
      .max(20, { abort: true })
      .regex(/^(0|[1-9]\d{0,11})(\.\d{1,4})?$/, { error: "must be a decimal number as text, such as 12.50" }),
    currency: z
      .string()
      .max(3, { abort: true })
      .regex(/^[A-Z]{3}$/, { error: "must be three letters of ISO 4217, such as EUR" }),
  })
  .meta({ id: "Price" });

/** A line of the list of parts of a make. */
export interface Part {
  id: string;
  name: string;
  quantity: number;
  /** Such as `m` or `pieces`. */
  unit: string | null;
  /** Where it can be had. */
  url: string | null;
  /** Of all of it. */
  price: Price | null;
  note: string | null;
  optional: boolean;
  /** 1 comes first. */
  position: number;
}
export const Part: Schema<Part> = z
  .strictObject({
    id: id("par"),
    name: z.string(),
    quantity: z.number(),
    unit: z.string().nullable(),
    url: z.string().nullable(),
    price: Price.nullable(),
    note: z.string().nullable(),
    optional: z.boolean(),
    position: z.int(),
  })
  .meta({ id: "Part" });

/** How many there are of each thing around a make. */
export interface MakeCounts {
  stars: number;
  comments: number;
  /** Public ones. */
  remixes: number;
  /** Of its files. */
  downloads: number;
}

/** A make as lists show it. */
export interface MakeSummary {
  id: string;
  slug: string;
  url: string;
  title: string;
  summary: string | null;
  maker: UserRef;
  status: MakeStatus;
  visibility: MakeVisibility;
  tags: string[];
  /** An SPDX expression; null means all rights reserved. */
  license: string | null;
  cover: GalleryItem | null;
  /** The make that it began as, if you can see it. */
  remixOf: { slug: string } | null;
  counts: MakeCounts;
  createdAt: string;
  updatedAt: string;
  /** When it was published first. */
  publishedAt: string | null;
  /** With a token: what you did with it, and what you may do. */
  viewer?: { isMaker: boolean; starred: boolean; canEdit: boolean };
}
const summary = {
  id: id("mak"),
  slug,
  url: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  maker: UserRef,
  status: MakeStatus,
  visibility: MakeVisibility,
  tags: z.array(z.string()),
  license: z.string().nullable(),
  cover: GalleryItem.nullable(),
  remixOf: z.strictObject({ slug }).nullable(),
  counts: z
    .strictObject({ stars: z.int(), comments: z.int(), remixes: z.int(), downloads: z.int() })
    .meta({ id: "MakeCounts" }),
  createdAt: timestamp,
  updatedAt: timestamp,
  publishedAt: timestamp.nullable(),
  viewer: z
    .strictObject({ isMaker: z.boolean(), starred: z.boolean(), canEdit: z.boolean() })
    .meta({ id: "MakeViewer" })
    .optional(),
};
export const MakeSummary: Schema<MakeSummary> = z.strictObject(summary).meta({ id: "MakeSummary" });

/** What somebody made with prompts. */
export interface Make extends MakeSummary {
  /** Markdown, up to 100 KiB. */
  body: string;
  /** The body as HTML that is safe in a page; null while it is not rendered yet. */
  html: string | null;
  /** Approved ones to prompts that you can see; the maker and the owner of a prompt see others too. */
  links: MakeLink[];
  media: GalleryItem[];
  files: MakeFile[];
  parts: Part[];
}
export const Make: Schema<Make> = z
  .strictObject({
    ...summary,
    body: z.string(),
    html: z.string().nullable(),
    links: z.array(MakeLink),
    media: z.array(GalleryItem),
    files: z.array(MakeFile),
    parts: z.array(Part),
  })
  .meta({ id: "Make" });

const maxBytes = 100 * 1024;
const encoder = new TextEncoder();
const body = prose({ max: maxBytes }).refine((text) => encoder.encode(text).length <= maxBytes, {
  error: "must be at most 100 KiB of UTF-8",
});
const note = prose({ max: 500 });

/** A prompt that a make was made with. */
export interface LinkPrompt {
  /** `owner/slug`. */
  prompt: string;
  /** Default: its latest version. A yanked one is accepted, since it can still be read. */
  versionNumber?: number;
  note?: string | null;
}
const linkPrompt = { prompt: ref, versionNumber: versionNumber.optional(), note: note.nullish() };
export const LinkPrompt: Schema<LinkPrompt> = z.strictObject(linkPrompt).meta({ id: "LinkPrompt" });

/** The words of other addresses below `/makes`, which are no slugs. */
export const makeWords: readonly string[] = ["family-tree", "gallery", "inbox"];
const makeSlug = slug.refine((text) => !makeWords.includes(text), { error: "is a word of our addresses" });

/** What a make says about itself. What is absent stays as it is, or is left empty. */
interface AboutMake {
  /** Its address. All makes that there ever were share their slugs. Default: made of the title. */
  slug?: string;
  summary?: string | null;
  /** Markdown, up to 100 KiB. */
  body?: string;
  tags?: string[];
  /** An SPDX expression. */
  license?: string | null;
  /** Default: public. */
  visibility?: MakeVisibility;
}
const title = line({ min: 1, max: 120 });
const about = {
  slug: makeSlug.optional(),
  summary: line({ max: 280 }).nullish(),
  body: body.optional(),
  tags: tagNames.optional(),
  license: license.nullish(),
  visibility: MakeVisibility.optional(),
};

/** A new make. */
export interface CreateMake extends AboutMake {
  title: string;
  /** The prompts that it was made with, up to 20. */
  prompts?: LinkPrompt[];
  /** Whether it is published at once. It needs a body then. Default: false. */
  publish?: boolean;
}
export const CreateMake: Schema<CreateMake> = z
  .strictObject({
    title,
    ...about,
    prompts: z
      .array(LinkPrompt)
      .max(makeLimits.linksPerMake)
      .refine((links) => new Set(links.map(({ prompt }) => prompt)).size === links.length, {
        error: "names the same prompt twice",
      })
      .optional(),
    publish: z.boolean().optional(),
  })
  .meta({ id: "CreateMake" });

/** What to change of a make. What is absent stays. */
export interface UpdateMake extends AboutMake {
  title?: string;
  /** Publishing needs a body or something in the gallery. */
  status?: MakeStatus;
}
export const UpdateMake: Schema<UpdateMake> = z
  .strictObject({ title: title.optional(), ...about, status: MakeStatus.optional() })
  .meta({ id: "UpdateMake" });

/** A copy of a make to go on from. */
export interface RemixMake {
  /** Default: that of the make. */
  title?: string;
  /** Default: made of the title. */
  slug?: string;
}
export const RemixMake: Schema<RemixMake> = z
  .strictObject({ title: title.optional(), slug: makeSlug.optional() })
  .meta({ id: "RemixMake" });

/** The slug of a make. */
export interface MakePath {
  slug: string;
}
export const makePath = { slug };
export const MakePath: Schema<MakePath> = z.strictObject(makePath);

const label = line({ min: 1, max: 120 });
const described = { description: prose({ max: 500 }).nullish() };

/** The fields beside an uploaded file, which is in the field `file`. */
export interface UploadMakeFile {
  /** Default: the name of the file. */
  label?: string;
  description?: string;
}
export const UploadMakeFile: Schema<UploadMakeFile> = z
  .strictObject({ label: label.optional(), description: prose({ max: 500 }).optional() })
  .meta({ id: "UploadMakeFile" });

/** A file of yours to attach, which was uploaded with the purpose `file`. */
export interface AddMakeFile {
  mediaId: string;
  /** Default: the name of the file. */
  label?: string;
  description?: string | null;
}
export const AddMakeFile: Schema<AddMakeFile> = z
  .strictObject({ mediaId: id("med"), label: label.optional(), ...described })
  .meta({ id: "AddMakeFile" });

/** What to change of a file. What is absent stays. */
export interface UpdateMakeFile {
  label?: string;
  description?: string | null;
  /** Another file of yours in its place. Its downloads stay counted. */
  mediaId?: string;
}
export const UpdateMakeFile: Schema<UpdateMakeFile> = z
  .strictObject({ label: label.optional(), ...described, mediaId: id("med").optional() })
  .meta({ id: "UpdateMakeFile" });

const caption = prose({ max: 280 });
const alt = prose({ max: 500 });

/** The fields beside an uploaded picture, video or model, which is in the field `file`. */
export interface UploadGalleryItem {
  caption?: string;
  /** What it shows, for those who cannot see it. */
  alt?: string;
}
export const UploadGalleryItem: Schema<UploadGalleryItem> = z
  .strictObject({ caption: caption.optional(), alt: alt.optional() })
  .meta({ id: "UploadGalleryItem" });

/** What to show in a gallery: media of yours, or something on another site. */
export interface AddGalleryItem {
  /** A picture, a video or a model of yours that is ready. */
  mediaId?: string;
  /** The address of a video of YouTube or Vimeo, of a model of Sketchfab, or of a track or set of SoundCloud. */
  embedUrl?: string;
  caption?: string | null;
  /** What it shows, for those who cannot see it. */
  alt?: string | null;
}
export const AddGalleryItem: Schema<AddGalleryItem> = z
  .strictObject({
    mediaId: id("med").optional(),
    embedUrl: webUrl
      .refine((url) => readEmbed(url) !== null, {
        error:
          "must be the address of a video of YouTube or Vimeo, of a model of Sketchfab, or of a track or set of SoundCloud",
      })
      .optional(),
    caption: caption.nullish(),
    alt: alt.nullish(),
  })
  .refine(({ mediaId, embedUrl }) => (mediaId === undefined) !== (embedUrl === undefined), {
    path: ["mediaId"],
    error: "send either mediaId or embedUrl",
  })
  .meta({ id: "AddGalleryItem" });

/** What to change of a gallery item. What is absent stays. */
export interface UpdateGalleryItem {
  caption?: string | null;
  alt?: string | null;
  /** Makes it the cover, in place of another. */
  cover?: true;
}
export const UpdateGalleryItem: Schema<UpdateGalleryItem> = z
  .strictObject({ caption: caption.nullish(), alt: alt.nullish(), cover: z.literal(true).optional() })
  .meta({ id: "UpdateGalleryItem" });

/** What a line of the list of parts says. What is absent is left empty, or stays. */
interface AboutPart {
  /** Default: 1. */
  quantity?: number;
  unit?: string | null;
  url?: string | null;
  /** Of all of it. */
  price?: Price | null;
  note?: string | null;
  /** Default: false. */
  optional?: boolean;
}
const name = line({ min: 1, max: 120 });
const part = {
  quantity: z.number().positive().max(1e9).optional(),
  unit: line({ min: 1, max: 20 }).nullish(),
  url: webUrl.nullish(),
  price: Price.nullish(),
  note: note.nullish(),
  optional: z.boolean().optional(),
};

/** A new line of the list of parts. */
export interface AddPart extends AboutPart {
  name: string;
}
export const AddPart: Schema<AddPart> = z.strictObject({ name, ...part }).meta({ id: "AddPart" });

/** What to change of a line. What is absent stays. */
export interface UpdatePart extends AboutPart {
  name?: string;
}
export const UpdatePart: Schema<UpdatePart> = z
  .strictObject({ name: name.optional(), ...part })
  .meta({ id: "UpdatePart" });

/** A decision about a link. */
export interface RejectLink {
  /** The maker sees it. */
  reason?: string | null;
}
export const RejectLink: Schema<RejectLink> = z
  .strictObject({ reason: prose({ max: 500 }).nullish() })
  .meta({ id: "RejectLink" });

/** A link, and the make that it is of. */
export interface LinkedMake {
  link: MakeLink;
  make: MakeSummary;
}
export const LinkedMake: Schema<LinkedMake> = z
  .strictObject({ link: MakeLink, make: MakeSummary })
  .meta({ id: "LinkedMake" });

/** A prompt or a make in a family tree. */
export interface FamilyNode {
  id: string;
  type: "prompt" | "make";
  /** `owner/slug`, or the slug of a make. */
  ref: string;
  title: string;
  owner: UserRef;
}
const FamilyNode: Schema<FamilyNode> = z
  .strictObject({
    id: z.string(),
    type: z.enum(["prompt", "make"]),
    ref: z.string(),
    title: z.string(),
    owner: UserRef,
  })
  .meta({ id: "FamilyNode" });

/** What came of what: a fork of a prompt, a make that links to it, a remix of a make. Both are ids of nodes. */
export interface FamilyEdge {
  from: string;
  to: string;
  relation: "fork" | "link" | "remix";
}
const FamilyEdge: Schema<FamilyEdge> = z
  .strictObject({ from: z.string(), to: z.string(), relation: z.enum(["fork", "link", "remix"]) })
  .meta({ id: "FamilyEdge" });

/** What a prompt came from, and what came of it, as far as you can see it. */
export interface FamilyTree {
  /** The id of the prompt that was asked for. */
  root: string;
  /** The nearest first. */
  nodes: FamilyNode[];
  edges: FamilyEdge[];
  /** Whether there is more than a tree shows. */
  truncated: boolean;
}
export const FamilyTree: Schema<FamilyTree> = z
  .strictObject({
    root: id("prm"),
    nodes: z.array(FamilyNode).max(makeLimits.familyNodes),
    edges: z.array(FamilyEdge),
    truncated: z.boolean(),
  })
  .meta({ id: "FamilyTree" });
