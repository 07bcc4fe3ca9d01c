import type { JsonText, Version } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { LRUCache } from "lru-cache";
import { batched } from "../../database/batch.ts";
import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { Loaded } from "../../kernel/target.ts";
import type { ResolvedRow, Timely } from "./get.sql.ts";
import { printVersions, type Question, resolveAll, type TextKey } from "./resolve.sql.ts";

/** Questions in one statement, and versions, which can have megabytes. */
const [questionsAtOnce, versionsAtOnce] = [100, 10];
/** The bytes of versions that are remembered in a process, and of the longest of them. */
const rememberedBytes = 64 * 2 ** 20;
const longestBytes = rememberedBytes / 16;

/** What a process needs to answer which version an address means, and what it says. */
interface Versions {
  /** Finds caller, prompt and version. Permission is asked of the database each time. */
  resolve(question: Question): Promise<Loaded<ResolvedRow & Timely>>;
  /** The JSON of a version, which never changes, so that memory may have it. Whoever asks is permitted to see it. */
  print(key: TextKey): Promise<JsonText<Version>>;
}

const opened = new WeakMap<Sql, Versions>();

/** The versions of a process. */
export function versionsOf(server: ServerContext): Versions {
  const versions = opened.get(server.readSql) ?? openVersions(server);
  opened.set(server.readSql, versions);
  return versions;
}

function openVersions({ sql, readSql }: ServerContext): Versions {
  const texts = new LRUCache<string, JsonText<Version>>({
    maxSize: rememberedBytes,
    maxEntrySize: longestBytes,
  });
  const load = batched((keys: readonly TextKey[]) => printVersions(sql, keys), { most: versionsAtOnce });
  const printing = new Map<string, ReturnType<typeof load>>();
  /** Many may ask at once for what nobody has asked for before. */
  const printOnce = (name: string, key: TextKey) => {
    const printed = printing.get(name) ?? load(key).finally(() => printing.delete(name));
    printing.set(name, printed);
    return printed;
  };
  return {
    resolve: batched((questions: readonly Question[]) => resolveAll(readSql, questions), {
      most: questionsAtOnce,
    }),
    async print(key) {
      const name = `${key.versionId}.${key.files}`;
      const known = texts.get(name);
      if (known !== undefined) return known;
      const text = await printOnce(name, key);
      // It was there a moment ago: its prompt was purged since.
      if (text === null) throw apiError("not_found");
      texts.set(name, text, { size: Buffer.byteLength(text) });
      return text;
    },
  };
}
