/**
 * The web's types as the program has them that uses these declarations: from TypeScript's DOM or from Node's types. Where
 * neither is there, a declaration that names one by itself would not compile.
 */
type Web<Name extends string, Otherwise = unknown> =
  typeof globalThis extends Record<Name, { prototype: infer T }> ? T : Otherwise;

export type AbortSignal = Web<"AbortSignal">;
export type Request = Web<"Request", { url: string; method: string }>;
export type Response = Web<"Response">;
/** The web's own fetch, or what is said in its place. */
export type WebFetch<Otherwise = unknown> =
  typeof globalThis extends Record<"fetch", infer T> ? T : Otherwise;
