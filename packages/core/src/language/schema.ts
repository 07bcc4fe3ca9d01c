// Programs read the declarations without zod. A Schema is only a name there.
/** @ts-ignore */
import type * as z from "zod";

/**
 * A schema, typed by its data and not by its construction. This keeps the published types small, and the part that
 * applications use free of zod.
 */
export type Schema<T> = z.ZodType<T>;
/** A schema of a field that can be absent. */
export type OptionalSchema<T> = z.ZodOptional<Schema<T>>;
