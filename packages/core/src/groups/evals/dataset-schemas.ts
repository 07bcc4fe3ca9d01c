import * as z from "zod";
import { id, line, prose, ref, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";

/** A dataset of a prompt: cases that its versions are tried on. */
export interface Dataset {
  id: string;
  prompt: {
    /** `owner/slug`. */
    ref: string;
  };
  /** Unique among the datasets of the prompt. */
  name: string;
  description: string | null;
  /** `public`: whoever sees the prompt sees it. `private`: only the owner of the prompt. */
  visibility: "public" | "private";
  /** Rises with every change of its cases. A batch or an import is one change. */
  revision: number;
  caseCount: number;
  createdAt: string;
  updatedAt: string;
}
const visibility = z.enum(["public", "private"]);
export const Dataset: Schema<Dataset> = z
  .strictObject({
    id: id("eds"),
    prompt: z.strictObject({ ref }),
    name: z.string(),
    description: z.string().nullable(),
    visibility,
    revision: z.int(),
    caseCount: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Dataset" });

const name = line({ min: 1, max: 80 });
const description = prose({ max: 2_000 }).nullish();

/** A new dataset. */
export interface CreateDataset {
  /** `owner/slug`. */
  prompt: string;
  name: string;
  description?: string | null;
  /** Default: private. */
  visibility?: Dataset["visibility"];
}
export const CreateDataset: Schema<CreateDataset> = z
  .strictObject({ prompt: ref, name, description, visibility: visibility.optional() })
  .meta({ id: "CreateDataset" });

/** What to change of a dataset. What is absent stays. */
export interface UpdateDataset {
  name?: string;
  description?: string | null;
  visibility?: Dataset["visibility"];
}
export const UpdateDataset: Schema<UpdateDataset> = z
  .strictObject({ name: name.optional(), description, visibility: visibility.optional() })
  .meta({ id: "UpdateDataset" });

/** The id of a dataset. */
export interface DatasetPath {
  id: string;
}
export const DatasetPath: Schema<DatasetPath> = z.strictObject({ id: id("eds") });
