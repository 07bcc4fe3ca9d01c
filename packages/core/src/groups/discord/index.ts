export * from "./discord.ts";
export * from "./schemas.ts";
