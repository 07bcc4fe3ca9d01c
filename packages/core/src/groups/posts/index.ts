export * from "./posts.ts";
export * from "./revisions.ts";
export * from "./schemas.ts";
export * from "./series.ts";
