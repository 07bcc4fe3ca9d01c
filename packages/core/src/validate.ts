import type * as z from "zod";
import { describeIssue } from "./describe-issue.ts";
import { apiError, type ErrorDetail } from "./errors.ts";
import type { Schema } from "./schema.ts";

/** Longer than any of ours. A name of megabytes is not repeated. */
const longestPointer = 1_000;

/** A JSON Pointer to a place in a request, cut where it is longer than any of ours. */
export const pointer = (path: PropertyKey[]): string =>
  path
    .map((key) => `/${String(key).slice(0, longestPointer).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")
    .slice(0, longestPointer)
    .toWellFormed();

/** At most so many are named: ten thousand wrong tags deserve no answer of a megabyte. */
const maxDetails = 20;

/** Unknown fields are named one by one: zod names the object that they stand in. */
const detailsOf = (issues: z.core.$ZodIssue[]): ErrorDetail[] =>
  issues
    .slice(0, maxDetails)
    .flatMap(({ path, code, message, ...issue }) =>
      "keys" in issue && code === "unrecognized_keys"
        ? issue.keys
            .slice(0, maxDetails)
            .map((key) => ({ path: pointer([...path, key]), code, message: "Unknown field" }))
        : [{ path: pointer(path), code, message }],
    )
    .slice(0, maxDetails);

/**
 * Reads what a schema describes.
 * @throws {ApiError} `validation_failed`, naming each place and rule.
 */
export function parse<T>(schema: Schema<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const details = detailsOf(parsed.error.issues);
  const first = details[0];
  throw apiError("validation_failed", {
    details,
    ...(first && { message: `${first.path || "The request"}: ${first.message}.` }),
  });
}
