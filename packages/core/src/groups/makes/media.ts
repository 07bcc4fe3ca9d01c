import * as z from "zod";
import { id } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, multipart, op } from "../../operations/operation.ts";
import { mediaLimits } from "../media/limits.ts";
import {
  AddGalleryItem,
  GalleryItem,
  type MakePath,
  makePath,
  MakePath as Path,
  UpdateGalleryItem,
  UploadGalleryItem,
} from "./schemas.ts";

/** An item of the gallery of a make. */
export interface GalleryItemPath extends MakePath {
  id: string;
}
const GalleryItemPath: Schema<GalleryItemPath> = z.strictObject({ ...makePath, id: id("gal") });

/** The new order of the gallery of a make. */
export interface ReorderGallery {
  /** The id of every item, each once. */
  ids: string[];
}
const ReorderGallery: Schema<ReorderGallery> = z
  .strictObject({ ids: z.array(id("gal")).max(100) })
  .meta({ id: "ReorderGallery" });

/** The gallery of a make in its order. */
export interface OrderedGallery {
  items: GalleryItem[];
}
const OrderedGallery: Schema<OrderedGallery> = z
  .strictObject({ items: z.array(GalleryItem) })
  .meta({ id: "OrderedGallery" });

const access = { auth: "required", scope: "write", on: { make: ["maker"] } } as const;

export const galleryItems = {
  /**
   * Adds to the gallery, after the others: a picture, a video or a model that is sent with the request, media of yours, or something
   * on another site. The first item becomes the cover. A make can have 30.
   */
  add: op({
    route: "POST /makes/{slug}/media",
    access,
    params: Path,
    body: [json(AddGalleryItem), multipart(UploadGalleryItem, { maxBytes: mediaLimits.videoBytes })],
    results: { 201: json(GalleryItem), 204: empty() },
    errors: ["media_not_ready", "quota_exceeded"],
    rate: { policy: "upload", byHandler: true },
  }),
  /** Changes the caption or the description of an item, or makes it the cover. */
  update: op({
    route: "PATCH /makes/{slug}/media/{id}",
    access,
    params: GalleryItemPath,
    body: json(UpdateGalleryItem),
    results: { 200: json(GalleryItem), 204: empty() },
  }),
  /** Removes an item. If it was the cover, the next one is. The media stay until you delete them. */
  delete: op({
    route: "DELETE /makes/{slug}/media/{id}",
    access,
    params: GalleryItemPath,
    results: { 204: empty() },
  }),
  /** Puts the gallery in another order. The list must name each item once. The cover stays. */
  reorder: op({
    route: "POST /makes/{slug}/media/reorder",
    access,
    params: Path,
    body: json(ReorderGallery),
    results: { 200: json(OrderedGallery), 204: empty() },
    errors: ["order_mismatch"],
  }),
};
