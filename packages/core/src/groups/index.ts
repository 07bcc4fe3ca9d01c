// What each group publishes: its operations, under its name, and their schemas.
export * from "./change-requests/index.ts";
export * from "./collections/index.ts";
export * from "./evals/index.ts";
export * from "./examples/index.ts";
export * from "./imports/index.ts";
export * from "./models/models.ts";
export * from "./installs/installs.ts";
export * from "./notifications/notifications.ts";
export * from "./open-in/index.ts";
export * from "./prompts/index.ts";
export * from "./search/index.ts";
export * from "./stars/index.ts";
export * from "./tags/index.ts";
export * from "./users/index.ts";
export * from "./votes/votes.ts";
export * from "./watch/watch.ts";
export * from "./webhooks/index.ts";
