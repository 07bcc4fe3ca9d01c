import type { ImportSource, ImportStatus } from "@promptreg/core";
import type { TargetKind } from "../../kernel/target.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

/** An import as its operations decide about it. */
export interface ImportRow {
  id: string;
  ownerId: string;
  revision: string;
  status: ImportStatus;
  source: ImportSource;
  /** Null if nothing is uploaded. */
  upload: { received: number; size: number } | null;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    import: ImportRow;
  }
}

/** Its account alone sees an import. */
export const importTarget: TargetKind<ImportRow, { id: string }> = {
  alias: "i",
  from: (sql, { id }) => sql`from imports i where i.id = ${id}`,
  columns: (sql) => sql`
    i.id, i.user_id as "ownerId", i.revision::text, i.status, i.source, case when i.upload_size is not null then
      json_build_object('received', i.upload_received, 'size', i.upload_size) end as upload`,
  visibility: (row, caller) => (owns(caller, row) ? "visible" : "hidden"),
  roles: () => ["owner"],
};
