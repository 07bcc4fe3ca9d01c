import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type pg from "pg";
import { expect, test } from "vitest";
import { createDatabase } from "../../test/harness.ts";
import { parseDatabaseUrl } from "./connection.ts";
import { connect } from "./open.ts";
import { openJobPool } from "./pool.ts";

test("a failed checkout releases nothing", async () => {
  const database = await createDatabase();
  const pool = openJobPool(parseDatabaseUrl(database.url), () => {});
  const taken: pg.PoolClient[] = [];
  while (taken.length < pool.options.max) taken.push(await pool.connect());
  Object.assign(pool.options, { connectionTimeoutMillis: 20 });
  const given = await new Promise<unknown[]>((resolve) => pool.connect((...all) => resolve(all)));
  expect([given[0] instanceof Error, given[1], given[2]]).toEqual([true, undefined, undefined]);
  for (const client of taken) client.release();
  await pool.end();
  await database.drop();
});

test.each([
  ["closes them", "", "closed before the server sent anything"],
  ["speaks something else", "HTTP/1.1 400 Bad Request\r\n\r\n", "what answers there is no PostgreSQL"],
])("whoever takes connections and %s is asked once, and not again and again", async (_, says, reason) => {
  let count = 0;
  const closing = createServer((socket) => {
    count += 1;
    socket.on("error", () => {}).end(says);
  }).listen(0, "127.0.0.1");
  await once(closing, "listening");
  const sql = connect(
    parseDatabaseUrl(`postgres://a:b@127.0.0.1:${(closing.address() as AddressInfo).port}/c`),
  );
  await expect(sql`select`).rejects.toThrow(reason);
  expect(count).toBeLessThan(5);
  await sql.end({ timeout: 0 });
  closing.close();
});
