import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sha256 } from "./contents.ts";
import { promptsOf } from "./prompts.ts";
import { accountAt, dayMs } from "./registry.ts";
import { at, hex, type Table } from "./table.ts";

/** What no group brings. */
const ofKernel: Table[] = [
  {
    name: "idempotency_keys",
    columns: ["user_id", "operation", "key", "request_hash", "status", "headers", "body", "created_at"],
    *rows(registry) {
      const count = Math.min(5_000, registry.size.prompts / 4);
      for (let nth = 0; nth < count; nth++) {
        const { id } = accountAt(registry, nth % registry.accounts);
        // Of the day that goes on: were most of them past their 24 hours, a sweep would rightly read all.
        const createdMs = registry.untilMs + Math.floor((dayMs * nth) / count);
        const key = `key-${nth}`;
        yield [id, "POST /api/v1/prompts", key, hex(sha256(key)), 201, "{}", "{}", at(createdMs)];
      }
    },
  },
  {
    name: "activity",
    columns: ["day", "prompt_id", "act", "viewer", "detail"],
    *rows(registry) {
      for (const { id, index, versions } of promptsOf(registry)) {
        if (versions === 0 || index % 4 > 0) continue;
        const day = at(registry.untilMs - (index % 30) * dayMs).slice(0, 10);
        yield [day, id, "download", hex(sha256(`viewer ${index}`)), "zip"];
      }
    },
  },
];

const folder = fileURLToPath(new URL("../../src/groups/", import.meta.url));
const files = readdirSync(folder)
  .map((name) => `${folder}${name}/seeds.ts`)
  .filter((file) => existsSync(file));
const ofGroups = await Promise.all(files.map(async (file): Promise<Table[]> => (await import(file)).seeds));

/** The rows of every table: those that stand in the `seeds.ts` of a group, and ours. */
export const tables: readonly Table[] = [...ofKernel, ...ofGroups.flat()];
