export * from "./media.ts";
export * from "./schemas.ts";
