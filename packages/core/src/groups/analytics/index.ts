export * from "./analytics.ts";
export * from "./schemas.ts";
