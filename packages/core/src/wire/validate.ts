import type * as z from "zod";
import { describeIssue } from "../language/describe-issue.ts";
import { apiError, type ErrorDetail } from "../catalogue/errors.ts";
import type { Schema } from "../language/schema.ts";

/** Longer than any of our paths. A name of megabytes is not repeated. */
const longestPointer = 1_000;

/** A JSON Pointer into a request, cut if it is longer than any of our paths. */
export const pointer = (path: PropertyKey[]): string =>
  path
    .map((key) => `/${String(key).slice(0, longestPointer).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")
    .slice(0, longestPointer)
    .toWellFormed();

/** The largest number of details: ten thousand invalid tags must not cause a response of a megabyte. */
const maxDetails = 20;

/** Names each unknown field. zod only names the object that contains them. */
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
 * Parses a value with a schema.
 * @throws {ApiError} `validation_failed`, with each path and rule.
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
