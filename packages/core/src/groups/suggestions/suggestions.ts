import * as z from "zod";
import { line, ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { json, largeBody, op } from "../../operations/operation.ts";
import { about, FileInput, PromptKind, tagNames } from "../prompts/schemas.ts";

/** What can be suggested. */
export const suggestedFields = ["title", "summary", "tags", "slug", "message"] as const;
export type SuggestedField = (typeof suggestedFields)[number];

/** What to describe, and which fields to suggest. */
export interface CreateSuggestions {
  /**
   * A prompt of yours, `owner/slug`; needs the scope `read`. Without files its draft is described, or without a draft its latest version. `message` says what
   * changes in that version.
   */
  prompt?: string;
  /** What to describe, if it is not stored. */
  files?: FileInput[];
  /** Which of the files is the prompt itself. Needed without `prompt`. */
  kind?: PromptKind;
  fields: SuggestedField[];
}
const describesSomething = {
  check: ({ prompt, files }: { prompt?: string | undefined; files?: unknown }) =>
    prompt !== undefined || files !== undefined,
  error: "or files must say what to describe",
  path: ["prompt"],
};
const hasKind = {
  check: ({ prompt, kind }: { prompt?: string | undefined; kind?: unknown }) =>
    (prompt === undefined) === (kind !== undefined),
  error: "goes with files, if no prompt says it",
  path: ["kind"],
};
const CreateSuggestions: Schema<CreateSuggestions> = z
  .strictObject({
    prompt: ref.optional(),
    files: z.array(FileInput).min(1).max(200).optional(),
    kind: PromptKind.optional(),
    fields: z
      .array(z.enum(suggestedFields))
      .min(1)
      .max(suggestedFields.length)
      .refine((list) => new Set(list).size === list.length, { error: "names a field twice" }),
  })
  .refine(describesSomething.check, describesSomething)
  .refine(hasKind.check, hasKind)
  .meta({ id: "CreateSuggestions" });

/** What describes a prompt. A field of which nothing can be said is missing. */
export interface SuggestedTexts {
  title?: string;
  summary?: string;
  tags?: string[];
  /** Free in your account. */
  slug?: string;
  /** For the commit. */
  message?: string;
}

/** The rules of each field: they are those of where it goes. What was suggested is one line of text without links. */
export const suggestedSchemas: { [F in SuggestedField]: Schema<NonNullable<SuggestedTexts[F]>> } = {
  title: about.title,
  summary: line({ min: 1, max: 280 }),
  tags: tagNames,
  slug,
  message: line({ min: 1, max: 500 }),
};

/** Suggestions, and who made them. */
export interface MadeSuggestions {
  suggestions: SuggestedTexts;
  /** `heuristic`: rules of this server, and nothing left it. `openai-compatible`: the model that its operator chose. */
  provider: "heuristic" | "openai-compatible";
  /** Null without a model. */
  model: string | null;
  /** Null if the model did not say it. */
  usage: { inputTokens: number; outputTokens: number } | null;
}
const MadeSuggestions: Schema<MadeSuggestions> = z
  .strictObject({
    suggestions: z.strictObject({
      title: suggestedSchemas.title.optional(),
      summary: suggestedSchemas.summary.optional(),
      tags: suggestedSchemas.tags.optional(),
      slug: suggestedSchemas.slug.optional(),
      message: suggestedSchemas.message.optional(),
    }),
    provider: z.enum(["heuristic", "openai-compatible"]),
    model: z.string().nullable(),
    usage: z.strictObject({ inputTokens: z.int(), outputTokens: z.int() }).nullable(),
  })
  .meta({ id: "MadeSuggestions" });

export const suggestions = {
  /**
   * Suggests a title, a summary, tags, a slug or the message of a commit, for a prompt of yours or for files. Nothing is stored. The
   * answer says who made it: if the model of the operator fails, the server's own rules do.
   */
  create: op({
    route: "POST /ai/suggestions",
    access: { auth: "required", scope: "write", on: { prompt: ["owner"] }, from: "body.prompt?" },
    body: json(CreateSuggestions, largeBody),
    results: { 200: json(MadeSuggestions) },
    // What is suggested of a stored text tells what it says.
    fields: { prompt: { scope: "read" } },
    errors: ["invalid_file", "suggestions_unavailable"],
    rate: { policy: "ai", byHandler: true },
  }),
};
