export * from "./prompts.ts";
export * from "./stars.ts";
