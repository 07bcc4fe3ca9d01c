import * as z from "zod";
import { id, jsonObject, jsonValue, plainText } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import type { ChatMessage } from "../../template/version.ts";
import { Message } from "../../content/entry-schemas.ts";
import { tagNames } from "../prompts/schemas.ts";

/** What a tool checks of an output. The registry stores and shows it, and never runs it. */
export interface CaseAssertion {
  /** As promptfoo names it: `equals`, `contains`, `is-json`, `llm-rubric`, … An unknown one is kept, with a warning. */
  type: string;
  value?: unknown;
  threshold?: number | null;
  weight?: number | null;
}

/** What a case says. */
interface AboutCase {
  /** What the prompt is filled in with, up to 64 KiB of JSON. */
  variables?: Record<string, unknown>;
  /** The messages for the placeholders of a chat, up to 64 KiB of JSON. */
  messages?: ChatMessage[] | null;
  /** What the model should answer, up to 64 KiB. */
  expected?: string | Record<string, unknown> | null;
  /** Up to 100, and 64 KiB of JSON. */
  assertions?: CaseAssertion[];
  tags?: string[];
  /** How much it counts in the pass rate. Default: 1. */
  weight?: number;
}

/** A new case. */
export interface CaseInput extends AboutCase {
  /** Its name, by which results are matched to it. Default: `case-` and a free number. */
  key?: string;
}

/** What to change of a case. What is absent stays. */
export interface UpdateCase extends AboutCase {
  key?: string;
}

/** A case of a dataset. */
export interface Case {
  id: string;
  key: string;
  variables: Record<string, unknown>;
  messages: ChatMessage[] | null;
  expected: string | Record<string, unknown> | null;
  assertions: CaseAssertion[];
  tags: string[];
  weight: number;
  /** The lowest comes first. Positions can have gaps. */
  position: number;
}

const maxBytes = 64 * 1024;
const encoder = new TextEncoder();
/** As JSON, which is how it is stored. */
const fits = (value: unknown) => encoder.encode(JSON.stringify(value)).length <= maxBytes;
const tooLong = { error: "must be at most 64 KiB of JSON" };
const isStorable = (value: unknown) => jsonValue.safeParse(value).success;
const unstorable = { error: "must be at most 32 levels deep, of well-formed Unicode without NUL" };

const weight = z.number().min(0).max(1_000_000);
const assertion = z.strictObject({
  type: plainText({ min: 1, max: 100 }),
  value: jsonValue.optional(),
  threshold: z.number().nullish(),
  weight: weight.nullish(),
});
const content = {
  variables: jsonObject.refine(fits, tooLong),
  messages: z
    .array(Message)
    .max(200)
    .refine(isStorable, unstorable)
    .refine(fits, tooLong)
    .nullable() as unknown as Schema<ChatMessage[] | null>,
  expected: z
    .union([plainText({ max: maxBytes }), jsonObject], { error: "must be a text or an object" })
    .refine(fits, tooLong)
    .nullable(),
  assertions: z.array(assertion).max(100).refine(fits, tooLong),
};

const about = {
  key: plainText({ min: 1, max: 200 }).optional(),
  variables: content.variables.optional(),
  messages: z.optional(content.messages),
  expected: content.expected.optional(),
  assertions: content.assertions.optional(),
  tags: tagNames.optional(),
  weight: weight.optional(),
};
export const CaseInput: Schema<CaseInput> = z.strictObject(about).meta({ id: "CaseInput" });
export const UpdateCase: Schema<UpdateCase> = z.strictObject(about).meta({ id: "UpdateCase" });

export const Case: Schema<Case> = z
  .strictObject({
    id: id("ecs"),
    key: z.string(),
    ...content,
    // As it was stored: the rules of a message are for what comes in.
    messages: z.array(jsonObject).nullable() as unknown as Schema<Case["messages"]>,
    tags: tagNames,
    weight,
    position: z.int(),
  })
  .meta({ id: "Case" });
