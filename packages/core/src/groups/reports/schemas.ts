import * as z from "zod";
import { id, prose, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";
import type { ReportAction } from "./actions.ts";
import { ReportTarget } from "./reported.ts";

/** Why something is reported. `other` needs details. */
export type ReportReason =
  | "spam"
  | "malware"
  | "prompt_injection"
  | "illegal"
  | "harassment"
  | "copyright"
  | "privacy"
  | "other";
export const ReportReason: Schema<ReportReason> = z.enum([
  "spam",
  "malware",
  "prompt_injection",
  "illegal",
  "harassment",
  "copyright",
  "privacy",
  "other",
]);

/** Open: no moderator has decided yet. */
export type ReportStatus = "open" | "resolved" | "dismissed";
export const ReportStatus: Schema<ReportStatus> = z.enum(["open", "resolved", "dismissed"]);

/** What somebody told moderators about something. */
export interface Report {
  id: string;
  /** What is reported, by the address that it had then. Null while you cannot see it. */
  target: ReportTarget | null;
  reason: ReportReason;
  details: string | null;
  status: ReportStatus;
  /** What a moderator did about it. Null while the report is open. */
  action: "none" | ReportAction | null;
  /** What the moderator says about the decision, for the reporter too. */
  note: string | null;
  createdAt: string;
  handledAt: string | null;
  /** Who reported it. Only for moderators; null for others. */
  reporter: UserRef | null;
  /** Whose it is. Only for moderators; null for others. */
  owner: UserRef | null;
  /** The moderator who decided. Only for moderators; null for others. */
  handledBy: UserRef | null;
  /** How the reported text begins, or its title. Only for moderators, while the report is open; null otherwise. */
  excerpt: string | null;
  /** How many open reports there are on the same thing, up to 10. Only for moderators; null for others. */
  openReports: number | null;
}
export const Report: Schema<Report> = z
  .strictObject({
    id: id("rpt"),
    target: z.nullable(ReportTarget),
    reason: ReportReason,
    details: z.string().nullable(),
    status: ReportStatus,
    action: z.enum(["none", "hidden", "removed", "rated"]).nullable(),
    note: z.string().nullable(),
    createdAt: timestamp,
    handledAt: z.nullable(timestamp),
    reporter: z.nullable(UserRef),
    owner: z.nullable(UserRef),
    handledBy: z.nullable(UserRef),
    excerpt: z.string().nullable(),
    openReports: z.int().nullable(),
  })
  .meta({ id: "Report" });

/** Something that moderators should look at. */
export interface CreateReport {
  target: ReportTarget;
  reason: ReportReason;
  /** What is wrong with it, for moderators. */
  details?: string | null;
}
export const CreateReport: Schema<CreateReport> = z
  .strictObject({ target: ReportTarget, reason: ReportReason, details: prose({ max: 2_000 }).nullish() })
  .meta({ id: "CreateReport" });

/** The decision of a moderator. */
export interface UpdateReport {
  /** `dismissed`: nothing is wrong with it. */
  status: "resolved" | "dismissed";
  /**
   * What is done about it, by the operation that does so, with your permissions. `hidden`: a prompt or a collection turns private, a
   * version is yanked, a comment is hidden, an example is rejected, a post is unpublished. `removed`: it is deleted. `rated`: a prompt is rated `mature`.
   * Default: `none`.
   */
  action?: "none" | ReportAction;
  /** Why, for the reporter, and for the owner if something is done. */
  note?: string | null;
}
export const UpdateReport: Schema<UpdateReport> = z
  .strictObject({
    status: z.enum(["resolved", "dismissed"]),
    action: z.enum(["none", "hidden", "removed", "rated"]).optional(),
    note: prose({ max: 500 }).nullish(),
  })
  .meta({ id: "UpdateReport" });
