import { hash } from "node:crypto";
import { comparableText, fingerprint, type PromptKind } from "@promptreg/core";
import { limitTo } from "../../database/columns.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { Sql } from "../../database/sql.ts";
import { blobOfFile } from "./blob.sql.ts";

/** The digest by which duplicates of an entry are found, as `versions.text_hash` has it. */
export const textHash = async (kind: PromptKind, entry: string): Promise<Buffer> =>
  Buffer.from(
    (await fingerprint(comparableText(kind, entry), (bytes) => hash("sha256", bytes))) ?? "",
    "hex",
  );

/** Versions that one transaction reads: some megabytes at most. */
const batch = 20;
const oneBatch = limitTo(batch);
/** Versions that are read in a minute. Reads and deliveries have the rest of it. */
const perMinute = 10_000;

/** Writes the digests of versions that an older release committed. */
export async function addTextHashes(sql: ServerContext["sql"]): Promise<void> {
  for (let added = 0, last = batch; last === batch && added < perMinute; added += last)
    last = await sql.begin(addSome);
}

/** Another process skips these versions. */
async function addSome(sql: Sql): Promise<number> {
  const versions = await sql<{ id: string; kind: PromptKind; entry: string }[]>`
    select v.id, p.kind, convert_from(b.content, 'UTF8') as entry
    from (select * from versions where text_hash is null order by id ${oneBatch(sql)} for no key update skip locked) v
      join prompts p on p.id = v.prompt_id
      join version_files f on f.version_id = v.id and f.path = v.entry
      cross join lateral ${blobOfFile(sql)} b`;
  const hashes = await Promise.all(versions.map(({ kind, entry }) => textHash(kind, entry)));
  await sql`
    update versions v set text_hash = decode(given.hash, 'hex')
    from unnest(${versions.map(({ id }) => id)}::text[], ${hashes.map((one) => one.toString("hex"))}::text[])
      as given (id, hash)
    where v.id = given.id`;
  return versions.length;
}
