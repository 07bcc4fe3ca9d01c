import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { bytes, empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import * as z from "zod";
import { importLimits } from "./limits.ts";
import {
  ChunkHeaders,
  CommitImport,
  CreateImport,
  FirstChunkHeaders,
  ImportPath,
  ListImports,
  StartUpload,
} from "./requests.ts";
import { Import, ImportWithItems } from "./schemas.ts";

export * from "./items.ts";
export * from "./requests.ts";
export * from "./schemas.ts";

const ItemsQuery: Schema<PageQuery> = z.strictObject(pageQuery());
const chunk = bytes("application/octet-stream", { maxBytes: importLimits.chunkBytes });
const own = { auth: "required", scope: "write", on: { import: "viewers" } } as const;

export const imports = {
  /** Lists your imports of the last 90 days, newest first. */
  list: op({
    route: "GET /imports",
    access: { auth: "required", scope: "read" },
    query: ListImports,
    results: { 200: json<Page<Import>>(pageOf(Import)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Looks for prompts in a text, files, a file on the web or a repository. Read the import until it is `ready`, or wait for the
   * notification `import.ready`. Nothing becomes a prompt before you commit it. You can have 10 imports that are not finished.
   */
  create: op({
    route: "POST /imports",
    access: { auth: "required", scope: "write" },
    body: json(CreateImport, largeBody),
    results: { 202: json(Import) },
    errors: ["quota_exceeded", "invalid_file", "url_refused"],
    rate: { policy: "import" },
  }),
  /**
   * Uploads a file with its first chunk: a zip, a tar.gz, or a single file such as an export of a chat. A chunk has at most
   * 8 MiB, the whole file 200 MiB. Send the next ones to `imports.uploadChunk`.
   */
  upload: op({
    route: "POST /imports/upload",
    access: { auth: "required", scope: "write" },
    query: StartUpload,
    headers: FirstChunkHeaders,
    body: chunk,
    results: { 202: json(Import) },
    errors: [
      "invalid_range",
      "quota_exceeded",
      "upload_offset_mismatch",
      "range_not_satisfiable",
      "archive_refused",
    ],
    rate: { policy: "import" },
  }),
  /** Gets an import, with a page of the prompts that it found. A page ends early at about 8 MiB. */
  get: op({
    route: "GET /imports/{id}",
    access: { auth: "required", scope: "read", on: { import: "viewers" } },
    params: ImportPath,
    query: ItemsQuery,
    results: { 200: json(ImportWithItems) },
    errors: ["invalid_cursor"],
  }),
  /** Cancels an import and deletes what it has found. Cancelling it again changes nothing. */
  cancel: op({
    route: "POST /imports/{id}/cancel",
    access: own,
    params: ImportPath,
    results: { 200: json(Import), 204: empty() },
    errors: ["import_state"],
  }),
  /**
   * Creates a private draft of each item. The others are skipped. Each item says what became of it: one that fails does not stop
   * the others. The same commit again changes nothing.
   */
  commit: op({
    route: "POST /imports/{id}/commit",
    access: own,
    params: ImportPath,
    body: json(CommitImport),
    results: { 202: json(Import), 204: empty() },
    errors: ["import_state"],
  }),
  /**
   * Uploads the next chunk of a file. Bytes that have arrived already are ignored, so after a lost response the same chunk can be
   * sent again.
   */
  uploadChunk: op({
    route: "POST /imports/{id}/upload",
    access: own,
    params: ImportPath,
    headers: ChunkHeaders,
    body: chunk,
    results: { 202: json(Import), 204: empty() },
    errors: ["invalid_range", "import_state", "upload_offset_mismatch", "range_not_satisfiable"],
    rate: { policy: "upload" },
  }),
};
