export * from "./contests.ts";
export * from "./entries.ts";
export * from "./file.ts";
export * from "./schemas.ts";
