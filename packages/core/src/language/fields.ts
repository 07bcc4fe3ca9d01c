import * as z from "zod";
import type { Schema } from "./schema.ts";

/**
 * An identifier such as `prm_01jd…`. It sorts by creation time, and never equals a word of a path. Its group declares the
 * prefix.
 */
export const id = (prefix: string): Schema<string> =>
  z.string().regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), {
    error: `must be an id: ${prefix}_ and 26 letters and digits`,
  });

/** Stops at text that is too long: on megabytes, a pattern can exhaust the stack. */
const ends = { abort: true };

const words = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const inWords = { error: "must be lower-case letters and digits, joined by single hyphens" };
/** An account's name in addresses. */
export const handle: Schema<string> = z.string().max(39, ends).regex(words, inWords);
/** A prompt's name in addresses. The rule is that of skill names, so every slug is a valid skill name. */
export const slug: Schema<string> = z.string().max(64, ends).regex(words, inWords);
/** `owner/slug`. */
export const ref: Schema<string> = z
  .string()
  .max(104, ends)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/, {
    error: "must be owner/slug, in lower-case letters, digits and hyphens",
  });
/** ISO 8601 in UTC, with milliseconds. */
export const timestamp: Schema<string> = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({
    format: "date-time",
  });
/** What is wrong with what is no time. In a query, a plus that is not encoded is read as a space. */
function describeTime(input: unknown): string {
  if (input === undefined) return "is missing";
  const isFromQuery = typeof input === "string" && input.includes("T") && / \d\d:\d\d$/.test(input);
  const hint = isFromQuery ? "; in a query, a + is written %2B" : "";
  return `must be a time with its offset, such as 2026-11-20T09:30:00Z${hint}`;
}
/** A time as people write it: ISO 8601 with any offset. It is converted to UTC with milliseconds. */
export const moment: Schema<string> = z
  .union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })], {
    error: ({ input }) => describeTime(input),
  })
  .transform((text) => new Date(text).toISOString())
  // An offset can lead to the years 0 and 10000, which not every reader of ISO 8601 accepts.
  .refine((text) => /^(?!0000)\d{4}-/.test(text), { error: "must be in the years 1 to 9999" });
/** A day, as ISO 8601 writes it. */
export const day: Schema<string> = z.iso
  .date({ error: "must be a day, such as 2026-11-20" })
  .refine((text) => text >= "2000", { error: "must be in the years 2000 to 9999" });
/** A version's number. The maximum is that of PostgreSQL's integer. */
export const versionNumber: Schema<number> = z.int().min(1).max(2_147_483_647);
/** A version's number as text in a path or query. Only the canonical form is valid, not `01` or `1e2`. */
export const versionNumberText: Schema<number> = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, { error: "must be a version number, such as 3" })
  .transform(Number)
  .meta({ type: "integer", minimum: 1 });
/** A label's name. `latest` is computed and `draft` is reserved, so neither can be set. */
export const labelName: Schema<string> = z
  .string()
  .max(64, ends)
  .regex(/^[a-z][a-z0-9-]*([._][a-z0-9-]+)*$/, {
    error: "must begin with a lower-case letter, then hold such letters, digits, hyphens and single . or _",
  });
const isStorable = (value: string) => value.isWellFormed() && !value.includes("\0");
const storable = { error: "must be well-formed Unicode without NUL" };

/** Text of programs, without NUL and lone surrogates, which the database cannot store. */
export const plainText = ({ min = 0, max }: { min?: number; max: number }): Schema<string> =>
  z.string().min(min).max(max).refine(isStorable, storable);

// Control characters, and embeddings, overrides and isolates, which change the order of the text around them.
const unfitForProse = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const unfitForLine = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Replaces what text of people may not have, where it came in by another way than as itself: by an entity of HTML, or encoded in an address. */
export const fitForProse = (text: string): string => text.replace(new RegExp(unfitForProse, "gu"), "\ufffd");

/** Text of people. It appears in terminals, mails and logs of others. It may break lines there, but must not control them. */
export const prose = (length: { min?: number; max: number }): Schema<string> =>
  plainText(length).refine((text) => !unfitForProse.test(text), {
    error: "must be free of control characters and of marks that turn its direction",
  });

// A visible character. The last in the list is an empty cell of Braille.
const visible = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether readers see anything of a text. */
export const isVisible = (text: string): boolean => visible.test(text);
export const invisible = { error: "must contain a visible character" };

/** Text of people in one line. It is trimmed. */
export const line = ({ min = 0, max }: { min?: number; max: number }): Schema<string> =>
  z
    .string()
    .refine((text) => !unfitForLine.test(text), {
      error: "must be one line, free of control characters and of marks that turn its direction",
    })
    .trim()
    .min(min)
    .max(max)
    .refine(isStorable, storable)
    .refine((text) => text === "" || isVisible(text), invisible);

/** A web address for a link: absolute, and without a user name or password. */
export const webUrl: Schema<string> = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s\\/?#@]+([/?#][^\s\\]*)?$/, {
    error: "must be an address that begins with http:// or https://, without a name or password in it",
  })
  .refine((text) => !/\p{C}/u.test(text) && URL.canParse(text), {
    error: "must be a well-formed address without control characters",
  });

/** The depth is limited, since all later code that walks the JSON does so by recursion. */
const isStorableJson = (value: unknown, depth = 32): boolean => {
  if (typeof value === "string") return isStorable(value);
  // 1e400 is valid JSON, reads as Infinity and would be stored as null.
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (
    depth > 0 &&
    Object.entries(value).every(([key, item]) => isStorable(key) && isStorableJson(item, depth - 1))
  );
};

/** Any JSON up to 32 levels deep. Its texts follow the rule of `plainText`. */
export const jsonValue: Schema<unknown> = z
  .custom<unknown>((value) => value !== undefined && isStorableJson(value), {
    error: "must be at most 32 levels deep, of finite numbers and well-formed Unicode without NUL",
  })
  .meta({});

/** Any JSON object up to 32 levels deep. Its texts follow the rule of `plainText`. */
export const jsonObject: Schema<Record<string, unknown>> = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isStorableJson(value),
    {
      error:
        "must be an object, at most 32 levels deep, of finite numbers and well-formed Unicode without NUL",
    },
  )
  .meta({ type: "object" });
