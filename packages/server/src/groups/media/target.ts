import type { MediaStatus } from "@promptreg/core";
import { owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { mediaUses } from "./seen.sql.ts";

/** What the code needs to know about media. */
export interface MediaRow {
  id: string;
  ownerId: string;
  revision: string;
  status: MediaStatus;
  /** Whether everybody sees something that shows them. */
  isForAll: boolean;
  /** The owners of what is private and shows them. */
  shownBy: string[];
}

declare module "../../kernel/target.ts" {
  interface Targets {
    media: MediaRow;
  }
}

/** Who sees something that shows media sees them, their owner always does. */
export const mediaTarget: TargetKind<MediaRow, { id: string }> = {
  alias: "m",
  from: (sql, { id }) => sql`
    from media m cross join lateral ${mediaUses(sql)} uses where m.id = ${id} and m.deleted_at is null`,
  columns: (sql) => sql`
    m.id, m.owner_id as "ownerId", m.revision::text, m.status, uses."isForAll", uses."shownBy"`,
  visibility: (row, caller) => {
    const isStaff = caller?.role === "moderator" || caller?.role === "admin";
    const owners = [row.ownerId, ...row.shownBy].map((ownerId) => ({ ownerId }));
    return row.isForAll || isStaff || owners.some((owned) => seesPrivate(caller, owned))
      ? "visible"
      : "hidden";
  },
  roles: (row, caller) => (owns(caller, row) ? ["owner"] : []),
};
