import { sha256 } from "../../../test/seed/contents.ts";
import { idOf } from "../../../test/seed/draw.ts";
import { accountsOf } from "../../../test/seed/registry.ts";
import { at, hex, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "users",
    columns: ["id", "handle", "name", "created_at"],
    *rows(registry) {
      for (const { id, handle, createdMs } of accountsOf(registry)) {
        yield [id, handle, handle.replaceAll("-", " "), at(createdMs)];
      }
    },
  },
  {
    name: "tokens",
    columns: ["id", "user_id", "name", "hash", "prefix", "scopes", "created_at"],
    *rows(registry) {
      let nth = 0;
      for (const { id, createdMs } of accountsOf(registry)) {
        const hash = hex(sha256(`token of ${id}`));
        yield [idOf("tok", createdMs, nth++), id, "default", hash, "prt_", "{read,write}", at(createdMs)];
      }
    },
  },
];
