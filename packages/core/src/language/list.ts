import * as z from "zod";
import type { OptionalSchema, Schema } from "./schema.ts";

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** Send it as `cursor`, with the same filters, to get the next page. Null on the last page. */
  nextCursor: string | null;
}
/** The schema of a page of items. */
export const pageOf = <T>(item: Schema<T>): Schema<Page<T>> =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

/** Which page of a list to return. */
export interface PageQuery {
  /** The most items to return. Default: 30. */
  limit?: number;
  /** The `nextCursor` of the previous page. Send the same filters and order with it. */
  cursor?: string;
}

/** The paging fields of a list's query. `max` is the maximum of `limit`. */
export const pageQuery = ({
  max = 100,
} = {}): {
  limit: OptionalSchema<number>;
  cursor: OptionalSchema<string>;
} => ({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: `must be a whole number from 1 to ${max}` })
    .transform(Number)
    .refine((limit) => limit <= max, { error: `must be a whole number from 1 to ${max}` })
    .meta({ type: "integer", minimum: 1, maximum: max })
    .optional(),
  cursor: z.string().optional(),
});

/** A field of a query that can be repeated. */
export const repeatable = <T>(item: Schema<T>, { max = 20 } = {}) =>
  z.union([
    z.array(item).min(1).max(max),
    z.pipe(
      item,
      z.transform((one: T) => [one]),
    ),
  ]) as unknown as Schema<T[]>;

/** `true` or `false` in a query. */
export const flag: Schema<boolean> = z.enum(["true", "false"]).transform((text) => text === "true");
