import * as z from "zod";
import type { Schema } from "../../language/schema.ts";
import { makeLimits } from "./limits.ts";
import { AddGalleryItem, AddMakeFile, AddPart, CreateMake, type LinkPrompt } from "./schemas.ts";

/** Something in the gallery of a folder's make: a file, or the address of what is embedded. */
export interface ManifestItem extends Pick<AddGalleryItem, "caption" | "alt" | "embedUrl"> {
  /** A picture, a video or a model, by its path in the folder. */
  path?: string;
  /** Whether it stands for the make in lists. Default: the first does. */
  cover?: boolean;
}

/** A file of a folder's make. */
export interface ManifestFile extends Pick<AddMakeFile, "label" | "description"> {
  /** Its path in the folder. */
  path: string;
}

/** `make.json`: it makes a folder a make. What is absent stays as it is; an empty list or null empties it. */
export interface MakeManifest
  extends Pick<CreateMake, "slug" | "title" | "summary" | "tags" | "license" | "visibility"> {
  $schema?: string;
  /** The path of the Markdown in the folder. Default: `README.md`, if it is there. */
  body?: string;
  /** The prompts that it was made with. */
  prompts?: LinkPrompt[];
  gallery?: ManifestItem[];
  files?: ManifestFile[];
  parts?: AddPart[];
}

const shapeOf = <T>(schema: Schema<T>) =>
  (schema as unknown as { shape: Record<keyof T, z.core.$ZodType> }).shape;
const { slug, title, summary, tags, license, visibility, prompts } = shapeOf(CreateMake);
const { caption, alt, embedUrl } = shapeOf(AddGalleryItem);
const { label, description } = shapeOf(AddMakeFile);
/** A path below the folder, with `/` between its parts. */
const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\\\p{Cc}]+$/u, {
    error: "must be a path below the folder, with / between its parts",
  });

export const MakeManifest = z
  .strictObject({
    $schema: z.string().optional(),
    slug,
    title,
    summary,
    tags,
    license,
    visibility,
    body: path.optional(),
    prompts,
    gallery: z
      .array(
        z
          .strictObject({ path: path.optional(), embedUrl, caption, alt, cover: z.boolean().optional() })
          .refine((item) => (item.path === undefined) !== (item.embedUrl === undefined), {
            error: "needs either a path or an embedUrl",
          }),
      )
      .max(makeLimits.galleryItemsPerMake)
      .refine((items) => items.filter(({ cover }) => cover).length < 2, { error: "has more than one cover" })
      .optional(),
    files: z.array(z.strictObject({ path, label, description })).max(makeLimits.filesPerMake).optional(),
    parts: z.array(AddPart).max(makeLimits.partsPerMake).optional(),
  })
  .meta({ id: "MakeManifest" }) as unknown as Schema<MakeManifest>;
