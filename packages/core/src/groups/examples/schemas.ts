import * as z from "zod";
import { id, jsonObject, line, prose, ref, timestamp, versionNumber } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { Media } from "../media/schemas.ts";
import { UserRef } from "../users/schemas.ts";
import { exampleLimits } from "./limits.ts";

/** Pending: it waits for the owner of its prompt. */
export type ExampleStatus = "pending" | "approved" | "rejected";
export const ExampleStatus: Schema<ExampleStatus> = z.enum(["pending", "approved", "rejected"]);

/** An example of a prompt. */
export interface Example {
  id: string;
  prompt: {
    /** `owner/slug`. */
    ref: string;
  };
  /** The version that it is of; null if it is not of a certain one. */
  versionNumber: number | null;
  author: UserRef;
  title: string | null;
  /** Free text: any model name is accepted. */
  model: string | null;
  /** What the prompt was filled in with. */
  variables: Record<string, unknown>;
  /** What the model was asked, as Markdown. */
  input: string | null;
  /** What the model answered, as Markdown. Null if it answered with media alone. */
  output: string | null;
  /** What the model answered beside that, or what was made with its answer. */
  media: Media[];
  note: string | null;
  status: ExampleStatus;
  /** Why it was rejected. */
  rejectReason: string | null;
  /** Its position among the approved examples of its prompt: the lowest comes first. Null if it is not approved. */
  position: number | null;
  votes: {
    up: number;
    down: number;
  };
  createdAt: string;
  /** When it was approved or rejected; null while it is pending. */
  decidedAt: string | null;
}
export const Example: Schema<Example> = z
  .strictObject({
    id: id("exm"),
    prompt: z.strictObject({ ref }),
    versionNumber: versionNumber.nullable(),
    author: UserRef,
    title: z.string().nullable(),
    model: z.string().nullable(),
    variables: jsonObject,
    input: z.string().nullable(),
    output: z.string().nullable(),
    media: z.array(Media),
    note: z.string().nullable(),
    status: ExampleStatus,
    rejectReason: z.string().nullable(),
    position: z.int().nullable(),
    votes: z.strictObject({ up: z.int(), down: z.int() }),
    createdAt: timestamp,
    decidedAt: z.nullable(timestamp),
  })
  .meta({ id: "Example" });

const maxBytes = 64 * 1024;
const encoder = new TextEncoder();
const fits = (text: string) => encoder.encode(text).length <= maxBytes;
const tooLong = { error: "must be at most 64 KiB of UTF-8" };

const markdown = (min = 0) => prose({ min, max: maxBytes }).refine(fits, tooLong);
const variables = jsonObject.refine((value) => fits(JSON.stringify(value)), tooLong);
const about = {
  title: line({ min: 1, max: 120 }).nullish(),
  model: line({ min: 1, max: 200 }).nullish(),
  variables: variables.optional(),
  input: markdown().nullish(),
  output: markdown(1).nullish(),
  mediaIds: z
    .array(id("med"))
    .max(exampleLimits.mediaPerExample)
    .refine((ids) => new Set(ids).size === ids.length, { error: "names the same media twice" })
    .optional(),
  note: prose({ max: 2_000 }).nullish(),
};

/** What an example says about itself. */
interface AboutExample {
  title?: string | null;
  /** Free text: any model name is accepted. */
  model?: string | null;
  /** What the prompt was filled in with, up to 64 KiB of JSON. */
  variables?: Record<string, unknown>;
  /** What the model was asked, as Markdown, up to 64 KiB. */
  input?: string | null;
  /** Media of yours that are ready, up to ten, in their order. */
  mediaIds?: string[];
  note?: string | null;
}

/** A new example. */
export interface CreateExample extends AboutExample {
  /** A version of the prompt. A yanked one is accepted, since it can still be read. */
  versionNumber?: number | null;
  /** What the model answered, as Markdown, up to 64 KiB. Without it there have to be media. */
  output?: string | null;
}
export const CreateExample: Schema<CreateExample> = z
  .strictObject({ versionNumber: versionNumber.nullish(), ...about })
  .meta({ id: "CreateExample" });

/** What to change of an example. What is absent stays. */
export interface UpdateExample extends AboutExample {
  /** What the model answered, as Markdown, up to 64 KiB. Without it there have to be media. */
  output?: string | null;
}
export const UpdateExample: Schema<UpdateExample> = z.strictObject(about).meta({ id: "UpdateExample" });

/** A rejection. */
export interface RejectExample {
  /** The author and the owner of the prompt see it. */
  reason?: string | null;
}
export const RejectExample: Schema<RejectExample> = z
  .strictObject({ reason: prose({ max: 500 }).nullish() })
  .meta({ id: "RejectExample" });
