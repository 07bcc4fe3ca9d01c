export * from "./actions.ts";
export * from "./reports.ts";
export * from "./schemas.ts";
export type { ReportedKind, ReportTarget } from "./reported.ts";
