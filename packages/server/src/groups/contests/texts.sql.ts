import type { Sql } from "../../database/sql.ts";
import { renewing } from "../../kernel/markdown/rendered.ts";

const renewAll = ["description", "rules", "prizes"].map((column) =>
  renewing({ table: "contests", key: ["id"], column }),
);

/** Renders the texts of contests that an older renderer rendered. */
export async function renewHtml(sql: Sql): Promise<void> {
  for (const renew of renewAll) await renew(sql);
}
