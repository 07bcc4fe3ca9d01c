// Declarations are read where zod is not installed, and a Schema is nothing but a name there.
/** @ts-ignore */
import type * as z from "zod";

/**
 * A schema known by the data it yields, not by how it is built: this keeps the published types small, and what
 * applications read of them free of zod.
 */
export type Schema<T> = z.ZodType<T>;
/** A schema of a field that can be absent. */
export type OptionalSchema<T> = z.ZodOptional<Schema<T>>;
