import type { VersionSummary } from "@promptreg/client";
import { cell } from "../terminal/text.ts";

/** Where a version is from, if it was not simply committed. What the registry sends need not fit its schema. */
export function originOf(origin: VersionSummary["origin"]): string {
  const { type, changeRequest, versionNumber } = Object(origin) as Partial<VersionSummary["origin"]>;
  if (type === "merge") return `(merge of change request ${cell(String(changeRequest))})`;
  if (type === "restore") return `(restore of ${cell(String(versionNumber))})`;
  return type === "fork" ? "(fork)" : "";
}
