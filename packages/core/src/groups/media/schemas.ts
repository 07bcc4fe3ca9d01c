import * as z from "zod";
import { id, prose, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";

/** `file`: a download of any type. */
export type MediaKind = "image" | "video" | "audio" | "model3d" | "file";
export const MediaKind: Schema<MediaKind> = z.enum(["image", "video", "audio", "model3d", "file"]);

/** Processing: it is checked, and pictures are written anew. Rejected: it was not what it seemed, or too large. */
export type MediaStatus = "processing" | "ready" | "rejected";
export const MediaStatus: Schema<MediaStatus> = z.enum(["processing", "ready", "rejected"]);

/** A picture, a video, a sound, a model or a file. */
export interface Media {
  id: string;
  kind: MediaKind;
  /** As the bytes say, not their sender. */
  mediaType: string;
  /** In bytes, of what `url` serves. Until media are ready, of what was sent. */
  size: number;
  /** In pixels, of a picture or a video, as it is shown. Null if unknown. */
  width: number | null;
  height: number | null;
  /** Of a video or a sound. Null if unknown. */
  durationMs: number | null;
  /** What it shows, for those who cannot see it. */
  alt: string | null;
  /**
   * Where the bytes are. What everybody sees has an address that stays; any other works for one to two hours. Null until the media
   * are ready.
   */
  url: string | null;
  /** A small WebP of a picture; null for other kinds. */
  thumbnailUrl: string | null;
  /** The digest of what `url` serves, in hexadecimal. Null until the media are ready. */
  sha256: string | null;
  status: MediaStatus;
  owner: UserRef;
  /** Whether anything shows it. Then it cannot be deleted. */
  inUse: boolean;
  createdAt: string;
}
const media = {
  id: id("med"),
  kind: MediaKind,
  mediaType: z.string(),
  size: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationMs: z.int().nullable(),
  alt: z.string().nullable(),
  url: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
  sha256: z.string().nullable(),
  status: MediaStatus,
  owner: UserRef,
  inUse: z.boolean(),
  createdAt: timestamp,
};
export const Media: Schema<Media> = z.strictObject(media).meta({ id: "Media" });

/** Media with what their owner needs to know. */
export interface MediaDetails extends Media {
  /** The name under which it is downloaded. */
  filename: string | null;
  /** Why it was rejected. */
  rejectReason: string | null;
  /** What was sent, for the owner alone: pictures are written anew, so that `sha256` differs. Null for others. */
  sent: { size: number; sha256: string } | null;
}
export const MediaDetails: Schema<MediaDetails> = z
  .strictObject({
    ...media,
    filename: z.string().nullable(),
    rejectReason: z.string().nullable(),
    sent: z.strictObject({ size: z.int(), sha256: z.string() }).nullable(),
  })
  .meta({ id: "MediaDetails" });

/** The fields beside the file, which is in the field `file`. */
export interface CreateMedia {
  /** What it shows, for those who cannot see it. */
  alt?: string;
  /**
   * `show`: a picture (JPEG, PNG, WebP, GIF, AVIF), a video, a sound or a 3D model (GLB, STL). `file`: a download of any type, stored as it
   * is. Default: `show`.
   */
  purpose?: "show" | "file";
}
export const CreateMedia: Schema<CreateMedia> = z
  .strictObject({ alt: prose({ min: 1, max: 500 }).optional(), purpose: z.enum(["show", "file"]).optional() })
  .meta({ id: "CreateMedia" });

/** The id of media. */
export interface MediaPath {
  id: string;
}
export const MediaPath: Schema<MediaPath> = z.strictObject({ id: id("med") });
