import type { JsonText } from "@promptreg/core";

/** Adds fields (`"name":value`, with commas between) to an object that the database printed, without parsing either. */
export const extend = <T>(object: string, fields: string): JsonText<T> =>
  `${object.slice(0, -1)},${fields}}` as JsonText<T>;
