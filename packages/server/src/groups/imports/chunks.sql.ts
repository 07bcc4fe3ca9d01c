import type { Sql } from "../../database/sql.ts";

/** What one row holds at most, so that no statement reads or writes more. */
const pieceBytes = 1024 * 1024;

/** Stores bytes of what was sent, which begin at `start`. */
export async function insertChunk(
  sql: Sql,
  { importId, start, bytes }: { importId: string; start: number; bytes: Uint8Array },
): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await sql`
      insert into import_chunks (import_id, start, content)
      values (${importId}, ${start + at}, ${Buffer.from(bytes.subarray(at, at + pieceBytes))})`;
  }
}

/** What was sent, from its beginning. */
export async function* selectChunks(sql: Sql, importId: string): AsyncGenerator<Buffer> {
  for (let start = 0; ; ) {
    const [row] = await sql<{ content: Buffer }[]>`
      select content from import_chunks where import_id = ${importId} and start = ${start}`;
    if (row === undefined) return;
    yield row.content;
    start += row.content.length;
  }
}

/** Records how much of a file has arrived. A whole one waits for its detection. */
export const recordChunk = (
  sql: Sql,
  { importId, received, isWhole }: { importId: string; received: number; isWhole: boolean },
) => sql`
  update imports set upload_received = ${received}, revision = revision + 1,
    ${isWhole ? sql`status = 'queued', expires_at = clock() + interval '7 days'` : sql`expires_at = clock() + interval '1 day'`}
  where id = ${importId}`;
