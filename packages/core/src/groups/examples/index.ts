export * from "./examples.ts";
export * from "./schemas.ts";
