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
  /** The JSON of a version, which never changes under its tag, so that memory may have it. Whoever asks is permitted to see it. */
  print(key: TextKey): Promise<JsonText<Version>>;
  /** The same of many, in one statement of their own, so that nobody who asks for one waits for them. */
  printAll(keys: readonly TextKey[]): Promise<JsonText<Version>[]>;
}

const nameOf = ({ versionTag, files }: TextKey) => `${versionTag}.${files}`;

const opened = new WeakMap<Sql, Versions>();

/** The versions of a process. */
export function versionsOf(server: ServerContext): Versions {
  const versions = opened.get(server.readSql) ?? openVersions(server);
  opened.set(server.readSql, versions);
  return versions;
}

function openVersions({ sql, readSql, metrics }: ServerContext): Versions {
  const texts = new LRUCache<string, JsonText<Version>>({
    maxSize: rememberedBytes,
    maxEntrySize: longestBytes,
  });
  const load = batched((keys: readonly TextKey[]) => printVersions(sql, keys), { most: versionsAtOnce });
  const recall = (key: TextKey) => texts.get(nameOf(key));
  /** Keeps what was printed. What is gone was there a moment ago: its prompt was purged since. */
  const remember = (key: TextKey, text: JsonText<Version> | null = null) => {
    if (text === null) throw apiError("not_found");
    texts.set(nameOf(key), text, { size: Buffer.byteLength(text) });
    return text;
  };
  const printing = new Map<string, Promise<JsonText<Version>>>();
  /** Many may ask at once for what nobody has asked for before: they find it being printed, or remembered. */
  const printOnce = (key: TextKey) => {
    const name = nameOf(key);
    const printed =
      printing.get(name) ??
      load(key)
        .then((text) => remember(key, text))
        .finally(() => printing.delete(name));
    printing.set(name, printed);
    return printed;
  };
  return {
    resolve: batched((questions: readonly Question[]) => resolveAll(readSql, questions), {
      most: questionsAtOnce,
      onBatch: metrics?.countBatch,
    }),
    async print(key) {
      return recall(key) ?? printOnce(key);
    },
    async printAll(keys) {
      const known = keys.map(recall);
      const unknown = keys.filter((_, nth) => known[nth] === undefined);
      const printed = unknown.length === 0 ? [] : await printVersions(sql, unknown);
      const next = unknown.map((key, nth) => remember(key, printed[nth])).values();
      return known.map((text) => text ?? (next.next().value as JsonText<Version>));
    },
  };
}
