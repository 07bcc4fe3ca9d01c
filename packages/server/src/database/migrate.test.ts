import { expect, test, vi } from "vitest";
import { createDatabase } from "../../test/harness.ts";
import { parseDatabaseUrl } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connect } from "./open.ts";

test("readers of a table do not wait for a migration that waits for it", { tags: "long" }, async () => {
  const database = await createDatabase({ isEmpty: true });
  const address = parseDatabaseUrl(database.url);
  await migrate(address, { before: "0017_search_terms" });
  const sql = connect(address);
  const reader = await sql.reserve();
  try {
    await reader`begin`;
    await reader`select from search_documents`;
    const migrating = migrate(address);
    await vi.waitFor(async () => {
      const [lock] =
        await sql`select from pg_locks where relation = 'search_documents'::regclass and not granted`;
      expect(lock).toBeDefined();
    });
    await sql`select from search_documents`;
    await reader`commit`;
    expect((await migrating)[0]).toBe("0017_search_terms");
  } finally {
    reader.release();
    await sql.end();
    await database.drop();
  }
});
