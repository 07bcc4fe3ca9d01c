import type { Fragment, Sql } from "../../database/sql.ts";
import type { Conditional } from "../../kernel/handler.ts";
import { blobOfFile } from "./blob.sql.ts";
import { knownBefore } from "./get.sql.ts";
import { isVisibleToCaller } from "./visibility.sql.ts";

/** One file of a version, or null if there is no such file. */
export interface FileText {
  file: {
    sha256: string;
    isText: boolean;
    /** Null for a binary file, and for one that the caller has already: then it is not read. */
    text: string | null;
  } | null;
}

/** The column of a FileText, from `versions v`. A null path means the entry file. */
export function fileText(sql: Sql, request: Conditional, path: string | null): Fragment {
  const known = knownBefore(request, "");
  return sql`, (select row_to_json(file) from (
    select encode(f.sha256, 'hex') as sha256, f.encoding = 'utf8' as "isText",
      case when f.encoding = 'utf8' and encode(f.sha256, 'hex') <> all (${known}::text[])
        then convert_from(b.content, 'UTF8') end as text
    from version_files f cross join lateral ${blobOfFile(sql)} b
    where f.version_id = v.id and f.path = coalesce(${path}, v.entry) and ${isVisibleToCaller(sql)}
  ) file) as file`;
}
