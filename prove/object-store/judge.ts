import { deepEqual, equal } from "node:assert/strict";
import { digestOf, prefix, type Scene } from "./scene.ts";

/** The rows, what uses them and the store have the same: each file, whole, and nothing else. */
export async function judge({ database, swift }: Scene): Promise<void> {
  const files = await database.ask(
    (sql) => sql<{ key: string; bytes: number; sha256: string | null }[]>`
      select f.key, f.size::int as bytes, m.sha256
      from stored_files f left join media m on m.file_key = f.key order by f.key collate "C"`,
  );
  const used = await database.ask(
    (sql) => sql<{ key: string }[]>`
      select key from media, unnest(array_remove(array[file_key, thumbnail_key], null)) key
      where deleted_at is null order by key collate "C"`,
  );
  deepEqual(
    used.map(({ key }) => key),
    files.map(({ key }) => key),
  );
  deepEqual(
    (await swift.objects()).map(({ name, bytes }) => ({ name, bytes })),
    files.map(({ key, bytes }) => ({ name: `${prefix}/${key}`, bytes })),
  );
  equal(swift.fileCount, files.length);
  for (const { key, sha256 } of files)
    if (sha256 !== null) equal(digestOf(await swift.read(`${prefix}/${key}`)), sha256);
  const [counted] = await database.ask(
    (sql) => sql<{ bytes: number; stored: number }[]>`
      select (select sum(size) from stored_files)::float8 as stored, (
        select sum(value) from (
          select value from counters where name = 'bytes' union all select delta from counter_changes where name = 'bytes') all_bytes
      )::float8 as bytes`,
  );
  equal(counted?.bytes, counted?.stored);
}
