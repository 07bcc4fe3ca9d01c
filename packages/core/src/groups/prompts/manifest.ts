import * as z from "zod";
import { ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { about, type PromptKind, type Rating, type Visibility } from "./schemas.ts";

/** The file that makes a folder a prompt. It describes the prompt and is not part of its versions. */
export interface Manifest {
  /** Where an editor finds this schema. */
  $schema?: string;
  /** Its address, `owner/slug`. A slug alone belongs to the account that pushes it. */
  prompt: string;
  /** Decides which file is the prompt itself. It cannot change. */
  kind: PromptKind;
  /** How people call it. */
  title: string;
  /** What it is for, in a sentence or two. */
  summary?: string | null;
  /** Words to find it by: lower-case letters, digits and hyphens. */
  tags?: string[];
  /** An SPDX expression, such as `MIT`; null means all rights reserved. */
  license?: string | null;
  /**
   * Who can read it. `private`: its owner. `unlisted`: anyone with the address. `public`: everyone, and it appears in
   * lists.
   */
  visibility?: Visibility;
  /** Whom its content suits. */
  rating?: Rating;
  /**
   * The file of another tool that is the prompt, relative to the manifest. It stays where it is, in the form of its tool; `push` sends
   * what it becomes.
   */
  source?: string;
  /** Where it was imported from: a path or an address, and the place in it. Another import finds it again by this. */
  from?: string;
  /** The content hash of what the last import brought: it tells what changed since, here or there. */
  fromHash?: string;
}
export const Manifest: Schema<Manifest> = z
  .strictObject({
    $schema: z.string().optional(),
    prompt: z.union([slug, ref], {
      error: 'must be its address, such as "support-reply" or "ada/support-reply"',
    }),
    ...about,
    source: z.string().min(1).max(1024).optional(),
    from: z.string().max(2048).optional(),
    fromHash: z.string().max(128).optional(),
  })
  .meta({ id: "Manifest" });
