export * from "./leaderboards.ts";
export * from "./schemas.ts";
