export * from "./collections.ts";
export * from "./items.ts";
export * from "./schemas.ts";
