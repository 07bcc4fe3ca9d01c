export * from "./tags.ts";
