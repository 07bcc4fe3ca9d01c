export * from "./makes.ts";
export * from "./prompts.ts";
export type { Starred, Unstarred } from "./schemas.ts";
export * from "./stars.ts";
