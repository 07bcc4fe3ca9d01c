import * as z from "zod";
import { id, ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";

/** What can be collected, by kind, and how a request names it. One more kind is a line here and below. */
export const collected = { prompt: ref, make: slug, post: id("pst") } as const satisfies Record<
  string,
  Schema<string>
>;

/** Who may collect each kind, and look for it: whoever sees it. */
export const on = { prompt: "viewers", make: "viewers", post: "viewers" } as const satisfies Record<
  keyof typeof collected,
  "viewers"
>;

/** What can be collected, as a query names it: `prompt:owner/slug`, `make:slug`, `post:pst_…`. */
export const collectedTarget: Schema<string> = z
  .string()
  .max(120, { abort: true })
  .regex(
    /^((prompt:[a-z0-9]+(-[a-z0-9]+)*\/|make:)[a-z0-9]+(-[a-z0-9]+)*|post:pst_[0-9a-hjkmnp-tv-z]{26})$/,
    {
      error: "must be what can be collected, by its kind and its address, such as prompt:owner/slug",
    },
  );
