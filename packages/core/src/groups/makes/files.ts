import * as z from "zod";
import { id } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, multipart, op, redirect } from "../../operations/operation.ts";
import { mediaLimits } from "../media/limits.ts";
import {
  AddMakeFile,
  MakeFile,
  type MakePath,
  makePath,
  MakePath as Path,
  UpdateMakeFile,
  UploadMakeFile,
} from "./schemas.ts";

/** A file of a make. */
export interface MakeFilePath extends MakePath {
  id: string;
}
const MakeFilePath: Schema<MakeFilePath> = z.strictObject({ ...makePath, id: id("mfl") });

/** The new order of the files of a make. */
export interface ReorderFiles {
  /** The id of every file, each once. */
  ids: string[];
}
const ReorderFiles: Schema<ReorderFiles> = z
  .strictObject({ ids: z.array(id("mfl")).max(100) })
  .meta({ id: "ReorderFiles" });

/** The files of a make in their order. */
export interface OrderedFiles {
  items: MakeFile[];
}
const OrderedFiles: Schema<OrderedFiles> = z
  .strictObject({ items: z.array(MakeFile) })
  .meta({ id: "OrderedFiles" });

const access = { auth: "required", scope: "write", on: { make: ["maker"] } } as const;

export const files = {
  /** Attaches a file after the others: one that is sent with the request, up to 50 MiB, or media of yours. A make can have 20. */
  add: op({
    route: "POST /makes/{slug}/files",
    access,
    params: Path,
    body: [multipart(UploadMakeFile, { maxBytes: mediaLimits.fileBytes }), json(AddMakeFile)],
    results: { 201: json(MakeFile), 204: empty() },
    errors: ["media_not_ready", "quota_exceeded"],
    rate: { policy: "upload", byHandler: true },
  }),
  /** Changes the label or the description of a file, or puts another file in its place. */
  update: op({
    route: "PATCH /makes/{slug}/files/{id}",
    access,
    params: MakeFilePath,
    body: json(UpdateMakeFile),
    results: { 200: json(MakeFile), 204: empty() },
    errors: ["media_not_ready", "quota_exceeded"],
  }),
  /** Removes a file from a make. The media stay until you delete them. */
  delete: op({
    route: "DELETE /makes/{slug}/files/{id}",
    access,
    params: MakeFilePath,
    results: { 204: empty() },
  }),
  /** Leads to the bytes of a file, at an address that works for five minutes. */
  download: op({
    route: "GET /makes/{slug}/files/{id}/download",
    access: { auth: "optional", scope: "read", on: { make: "viewers" } },
    params: MakeFilePath,
    results: { 302: redirect() },
    errors: ["media_not_ready"],
  }),
  /** Puts the files in another order. The list must name each of them once. */
  reorder: op({
    route: "POST /makes/{slug}/files/reorder",
    access,
    params: Path,
    body: json(ReorderFiles),
    results: { 200: json(OrderedFiles), 204: empty() },
    errors: ["order_mismatch"],
  }),
};
