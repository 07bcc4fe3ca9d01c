/**
 * Web types as the application's program declares them: from TypeScript's DOM, from Node or from a worker. If a type is
 * missing, a declaration that names it directly would not compile.
 */
type Web<Name extends string, Otherwise = unknown> =
  typeof globalThis extends Record<Name, { prototype: infer T }> ? T : Otherwise;

export type AbortSignal = Web<"AbortSignal">;
export type Blob = Web<"Blob">;
export type FormData = Web<"FormData">;
export type Headers = Web<"Headers", { set(name: string, value: string): void }>;
export type ReadableStream = Web<"ReadableStream">;
export type Request = Web<"Request">;
export type Response = Web<"Response", { headers: { get(name: string): string | null }; status: number }>;
export type URLSearchParams = Web<"URLSearchParams">;
export type HeadersInit = Headers | Record<string, string> | [string, string][];
