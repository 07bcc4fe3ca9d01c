/**
 * Web types as the application's program declares them: from TypeScript's DOM or from Node. If a type is missing, a
 * declaration that names it directly would not compile.
 */
type Web<Name extends string, Otherwise = unknown> =
  typeof globalThis extends Record<Name, { prototype: infer T }> ? T : Otherwise;

export type AbortSignal = Web<"AbortSignal">;
export type Request = Web<"Request", { url: string; method: string }>;
export type Response = Web<"Response">;
/** The type of the web's fetch, or a substitute. */
export type WebFetch<Otherwise = unknown> =
  typeof globalThis extends Record<"fetch", infer T> ? T : Otherwise;
