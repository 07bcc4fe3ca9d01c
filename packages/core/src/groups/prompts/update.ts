import * as z from "zod";
import { line, prose, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { license, Rating, tagNames, Visibility } from "./schemas.ts";

/** Changes to a prompt. Absent fields stay as they are. */
export interface UpdatePrompt {
  title?: string;
  /** Null clears it. */
  summary?: string | null;
  tags?: string[];
  /** An SPDX expression; null means all rights reserved. */
  license?: string | null;
  visibility?: Visibility;
  rating?: Rating;
  /** The old address redirects to the new one and cannot be used again. */
  slug?: string;
}
export const UpdatePrompt: Schema<UpdatePrompt> = z
  .strictObject({
    title: line({ min: 1, max: 120 }).optional(),
    summary: prose({ max: 280 }).nullish(),
    tags: tagNames.optional(),
    license: license.nullish(),
    visibility: Visibility.optional(),
    rating: Rating.optional(),
    slug: slug.optional(),
  })
  .meta({ id: "UpdatePrompt" });
