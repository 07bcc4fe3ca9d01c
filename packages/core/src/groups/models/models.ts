import * as z from "zod";
import { plainText, timestamp } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";

/** What a model reads or writes. */
export type Modality = "text" | "image" | "audio" | "video" | "pdf";
const Modality: Schema<Modality> = z
  .enum(["text", "image", "audio", "video", "pdf"])
  .meta({ id: "Modality" });

/** A model of the catalogue. What is not known of it is null. */
export interface Model {
  /** `provider/name`. */
  id: string;
  provider: string;
  /** Its name in requests to the provider. */
  name: string;
  displayName: string;
  /** Other names that the provider accepts. */
  aliases: string[];
  modalities: {
    input: Modality[];
    output: Modality[];
  };
  /** In tokens. */
  contextWindow: number | null;
  /** In tokens. */
  maxOutput: number | null;
  /** In USD for a million tokens, at the standard rate. */
  pricing: { inputPerMTok: number; outputPerMTok: number } | null;
  /** When it was released. */
  releasedAt: string | null;
  /** When it was deprecated; null if it is current. */
  deprecatedAt: string | null;
}
export const Model: Schema<Model> = z
  .strictObject({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    displayName: z.string(),
    aliases: z.array(z.string()),
    modalities: z.strictObject({ input: z.array(Modality), output: z.array(Modality) }),
    contextWindow: z.int().nullable(),
    maxOutput: z.int().nullable(),
    pricing: z.strictObject({ inputPerMTok: z.number(), outputPerMTok: z.number() }).nullable(),
    releasedAt: z.nullable(timestamp),
    deprecatedAt: z.nullable(timestamp),
  })
  .meta({ id: "Model" });

/** Which models to list, and how. */
export interface ListModels extends PageQuery {
  /** Only those of this provider. */
  provider?: string;
  /** Only those that read or write this. */
  modality?: Modality;
  /** True: only deprecated ones. Default: only current ones. */
  deprecated?: boolean;
  /** Words that its id, its name or an alias must contain. */
  q?: string;
  /** `provider`: by provider and name. `releasedAt`: newest first, and last those of which it is not known. Default: `provider`. */
  sort?: "provider" | "releasedAt";
}
const ListModels: Schema<ListModels> = z.strictObject({
  ...pageQuery(),
  provider: plainText({ min: 1, max: 100 }).optional(),
  modality: Modality.optional(),
  deprecated: flag.optional(),
  q: plainText({ max: 200 }).optional(),
  sort: z.enum(["provider", "releasedAt"]).optional(),
});

export const models = {
  /** Lists the models of the catalogue. */
  list: op({
    route: "GET /models",
    access: { auth: "optional", scope: "read" },
    query: ListModels,
    results: { 200: json<Page<Model>>(pageOf(Model)) },
    errors: ["invalid_cursor"],
  }),
};
