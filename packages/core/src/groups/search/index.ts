export * from "./schemas.ts";
export * from "./search.ts";
