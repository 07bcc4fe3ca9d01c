export { readEmbed } from "./embed.ts";
export * from "./files.ts";
export * from "./makes.ts";
export * from "./media.ts";
export * from "./parts.ts";
export * from "./prompts.ts";
export * from "./schemas.ts";
export type { MakeEvent } from "./events.ts";
export * from "./manifest.ts";
