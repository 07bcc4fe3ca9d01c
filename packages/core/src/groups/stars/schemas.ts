import * as z from "zod";
import type { Schema } from "../../language/schema.ts";

/** That you starred something, and how many stars it has with yours. */
export interface Starred {
  starred: true;
  starCount: number;
}
export const Starred: Schema<Starred> = z
  .strictObject({ starred: z.literal(true), starCount: z.int() })
  .meta({ id: "Starred" });

/** That you have no star on something, and how many stars it has without yours. */
export interface Unstarred {
  starred: false;
  starCount: number;
}
export const Unstarred: Schema<Unstarred> = z
  .strictObject({ starred: z.literal(false), starCount: z.int() })
  .meta({ id: "Unstarred" });
