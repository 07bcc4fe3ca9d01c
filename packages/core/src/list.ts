import * as z from "zod";
import type { OptionalSchema, Schema } from "./schema.ts";

/** A part of a list. */
export interface Page<T> {
  items: T[];
  /** What goes into `cursor` to get the next part, with the same filters; null after the last item. */
  nextCursor: string | null;
}
export const pageOf = <T>(item: Schema<T>): Schema<Page<T>> =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

/** How much of a list is wanted, and from where on. */
export interface PageQuery {
  /** How many items at most; 30 when absent. */
  limit?: number;
  /** The `nextCursor` of the part before; it fits the same filters and order only. */
  cursor?: string;
}

/** The fields of a list's query by which it is paged; `max` is the most that `limit` can be. */
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

/** A field of a query that may stand several times. */
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
