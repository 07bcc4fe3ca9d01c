import * as z from "zod";
import { id } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { reportedTarget, reporters } from "./reported.ts";
import { CreateReport, Report, ReportReason, ReportStatus, UpdateReport } from "./schemas.ts";

/** Which reports to list: those that fit every field. */
export interface ListReports extends PageQuery {
  /** Default: `open`. */
  status?: ReportStatus;
  /** Why it was reported. */
  reason?: ReportReason;
  /** What is reported, by the address that it had then, such as `prompt:owner/slug`, `version:owner/slug@3`, `comment:cmt_…` or `user:handle`. */
  target?: string;
  /** Your own reports. Without the role of a moderator you are shown these in any case. */
  mine?: boolean;
}
const ListReports: Schema<ListReports> = z.strictObject({
  ...pageQuery(),
  status: ReportStatus.optional(),
  reason: ReportReason.optional(),
  target: reportedTarget.optional(),
  mine: flag.optional(),
});

/** The id of a report. */
export interface ReportPath {
  id: string;
}
const ReportPath: Schema<ReportPath> = z.strictObject({ id: id("rpt") });

export const reports = {
  /**
   * Reports something that you see to moderators. They see what is private for as long as a report on it is open. You can have one
   * open report on a thing, and 100 in all.
   */
  create: op({
    route: "POST /reports",
    access: { auth: "required", scope: "write", on: reporters, from: "body.target", namesKind: true },
    body: json(CreateReport),
    results: { 201: json(Report), 204: empty() },
    errors: ["report_exists", "prompt_not_published", "comment_deleted", "comment_hidden", "quota_exceeded"],
  }),
  /** Lists the oldest reports first: all for moderators, except those on what is theirs, and for others their own. */
  list: op({
    route: "GET /reports",
    access: { auth: "required", scope: "read" },
    query: ListReports,
    results: { 200: json<Page<Report>>(pageOf(Report)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Decides on a report. If something is done, all open reports on the same thing are closed, and its owner is notified, as each
   * reporter is of the decision. Another moderator decides on what is about something of yours.
   */
  update: op({
    route: "PATCH /reports/{id}",
    access: { auth: "required", scope: "write", on: { report: ["moderator"] } },
    params: ReportPath,
    body: json(UpdateReport),
    results: { 200: json(Report), 204: empty() },
    errors: ["report_closed", "comment_deleted"],
    emits: ["prompt.deleted"],
  }),
};
