import type { ReportedKind, ReportStatus } from "@promptreg/core";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";

/** What the code needs to know about a report. */
export interface ReportRow {
  id: string;
  revision: string;
  reporterId: string;
  kind: ReportedKind;
  subjectId: string;
  address: string;
  promptId: string | null;
  /** Whose the reported thing is, and the handle of that account. */
  ownerId: string;
  ownerHandle: string;
  status: ReportStatus;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    report: ReportRow;
  }
}

/** Its reporter sees it, and every moderator but the one whom it is about. */
export const reportTarget: TargetKind<ReportRow, { id: string }> = {
  alias: "r",
  // What is done about it, and all reports on it, change under its lock.
  lockFirst(sql, { id }, strength) {
    const place = sql`(
      select coalesce(c.target, r.subject_id) from reports r left join comments c on c.id = r.subject_id
      where r.id = ${id})`;
    return [
      sql`select from prompts p join reports r on r.prompt_id = p.id where r.id = ${id} for ${strength} of p`,
      sql`select from collections c join reports r on r.subject_id = c.id where r.id = ${id} for ${strength} of c`,
      sql`select from makes k where k.id in ${place} for ${strength} of k`,
      sql`select from posts b where b.id in ${place} for ${strength} of b`,
    ];
  },
  from: (sql, { id }) => sql`from reports r join users o on o.id = r.owner_id where r.id = ${id}`,
  columns: (sql) => sql`
    r.id, r.revision::text, r.reporter_id as "reporterId", r.kind, r.subject_id as "subjectId", r.address,
    r.prompt_id as "promptId", r.owner_id as "ownerId", o.handle as "ownerHandle", r.status`,
  visibility(report, caller) {
    const isModerator = caller !== null && caller.role !== "user" && !owns(caller, report);
    return isModerator || isReporter(caller, report) ? "visible" : "hidden";
  },
  roles: (report, caller) => (isReporter(caller, report) ? ["reporter"] : []),
};

/** A report belongs to who wrote it; what it is about to somebody else. */
const isReporter = (caller: Pick<Caller, "id"> | null, { reporterId }: ReportRow): boolean =>
  owns(caller, { ownerId: reporterId });
