export * from "./open-in.ts";
export type { OpenMode, OpenPlatform, OpenTargetId } from "./open-targets.ts";
