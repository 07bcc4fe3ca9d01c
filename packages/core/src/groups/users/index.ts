export * from "./schemas.ts";
export * from "./users.ts";
