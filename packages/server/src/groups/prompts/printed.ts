import type { JsonText } from "@promptreg/core";

/** Adds fields (`"name":value`, separated by commas) to an object printed by the database, without parsing. */
export const extend = <T>(object: string, fields: string): JsonText<T> =>
  `${object.slice(0, -1)},${fields}}` as JsonText<T>;
