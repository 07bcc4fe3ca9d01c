/** Whether a value that may be anything, as of a file that people edit, has fields: null and lists have none. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
