import * as z from "zod";
import { id, line, plainText, slug } from "../../language/fields.ts";
import { type PageQuery, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { FileInput, PromptKind, tagNames, Visibility } from "../prompts/schemas.ts";
import { importLimits } from "./limits.ts";
import { itemId } from "./items.ts";
import { ImportStatus } from "./schemas.ts";

/** Where to look for prompts. */
export type NewImportSource =
  | {
      /** One text, such as a prompt, a skill or a JSON export. */
      type: "paste";
      text: string;
      /** What the text is. Default: found out. */
      kind?: PromptKind;
    }
  | {
      /** A file on the web: https, at most 5 MiB. A page of GitHub or a gist is read as its file. */
      type: "url";
      url: string;
    }
  | {
      /** A public repository of GitHub or GitLab. */
      type: "repository";
      /** `owner/name` of GitHub, or the address of a repository. */
      repository: string;
      /** A branch, tag or commit. Default: the default branch. */
      ref?: string;
      /** Only what is below this folder. */
      path?: string;
    }
  | {
      /** A folder, file by file. */
      type: "files";
      files: FileInput[];
    };
// Each has an id, so that the OpenAPI document can map its type to it.
const NewImportSource: Schema<NewImportSource> = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("paste"),
      text: plainText({ min: 1, max: 1024 * 1024 }),
      kind: PromptKind.optional(),
    })
    .meta({ id: "PasteSource" }),
  z.strictObject({ type: z.literal("url"), url: plainText({ min: 1, max: 2048 }) }).meta({ id: "UrlSource" }),
  z
    .strictObject({
      type: z.literal("repository"),
      repository: plainText({ min: 1, max: 2048 }),
      ref: plainText({ min: 1, max: 250 }).optional(),
      path: plainText({ min: 1, max: 1000 }).optional(),
    })
    .meta({ id: "RepositorySource" }),
  z
    .strictObject({
      type: z.literal("files"),
      files: z.array(FileInput).min(1).max(importLimits.filesPerImport),
    })
    .meta({ id: "FilesSource" }),
]);

/** A new import. */
export interface CreateImport {
  source: NewImportSource;
}
export const CreateImport: Schema<CreateImport> = z
  .strictObject({ source: NewImportSource })
  .meta({ id: "CreateImport" });

/** The id of an import. */
export interface ImportPath {
  id: string;
}
export const ImportPath: Schema<ImportPath> = z.strictObject({ id: id("imp") });

/** Which imports to list. */
export interface ListImports extends PageQuery {
  /** Only those with this status. */
  status?: ImportStatus;
}
export const ListImports: Schema<ListImports> = z.strictObject({
  ...pageQuery(),
  status: ImportStatus.optional(),
});

/** What to take over of an item, and what to change on the way. */
export interface CommitItem {
  id: string;
  /** If you have used it already, a number is added. */
  slug?: string;
  title?: string;
  kind?: PromptKind;
  tags?: string[];
  /** Default: `private`. A draft is seen by you alone until you commit it. */
  visibility?: Visibility;
}
/** Which items to take over. */
export interface CommitImport {
  /** Default: all that are `selected`. */
  items?: CommitItem[];
}
export const CommitImport: Schema<CommitImport> = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          id: itemId,
          slug: slug.optional(),
          title: line({ min: 1, max: 120 }).optional(),
          kind: PromptKind.optional(),
          tags: tagNames.optional(),
          visibility: Visibility.optional(),
        }),
      )
      .min(1)
      .max(importLimits.itemsPerImport)
      .refine((items) => new Set(items.map((item) => item.id)).size === items.length, {
        error: "names an item twice",
      })
      .optional(),
  })
  .meta({ id: "CommitImport" });

/** A file to upload. */
export interface StartUpload {
  /** Its name, without folders. */
  filename: string;
  /** In bytes: of the whole file. */
  size: number;
  /** Of the whole file, as 64 hexadecimal digits. If what arrives has another one, the import fails. */
  sha256?: string;
}
export const StartUpload: Schema<StartUpload> = z.strictObject({
  filename: line({ min: 1, max: 255 }).refine((name) => !/[/\\]/.test(name), {
    error: "must be a name without folders",
  }),
  size: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: "must be a whole number of bytes" })
    .transform(Number)
    .refine((size) => size <= importLimits.uploadBytes, {
      error: `must be at most ${importLimits.uploadBytes} bytes (200 MiB)`,
    })
    .meta({ type: "integer", minimum: 1, maximum: importLimits.uploadBytes }),
  sha256: z
    .string()
    .max(64)
    .regex(/^[0-9a-f]{64}$/, { error: "must be 64 lower-case hexadecimal digits" })
    .optional(),
});

// Any text: one that cannot be read is 400, while other headers of a wrong form are 422. The pattern is documentation.
const range = z.string().meta({ pattern: "^bytes [0-9]+-[0-9]+/[0-9]+$" });

/** Where a chunk belongs: its first and its last byte, and the size of the file, such as `bytes 0-8388607/20000000`. */
export interface ChunkHeaders {
  "content-range": string;
}
export const ChunkHeaders: Schema<ChunkHeaders> = z.object({ "content-range": range });
export const FirstChunkHeaders: Schema<Partial<ChunkHeaders>> = z.object({
  "content-range": range.optional(),
});
