import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { createDatabase } from "../../test/harness.ts";
import { DatabaseSetupError, parseDatabaseUrl } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connect } from "./open.ts";

const leave: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of leave.splice(0).toReversed()) await end();
});

/** A database without tables that belongs to a login without special rights, and the connection of an administrator. */
async function prepare() {
  const database = await createDatabase({ isEmpty: true });
  const address = parseDatabaseUrl(database.url);
  const admin = connect(address);
  const user = `plain_${randomBytes(6).toString("hex")}`;
  await admin.unsafe(`create role ${user} login password 'plain'`);
  await admin.unsafe(`alter database "${address.database}" owner to ${user}`);
  leave.push(
    async () => {
      const maintenance = connect({ ...address, database: "postgres" });
      await maintenance.unsafe(`drop role ${user}`);
      await maintenance.end();
    },
    () => database.drop(),
    () => admin.end(),
  );
  return { admin, address: { ...address, user, password: "plain" } };
}

test("a login that owns the database, and nothing more, can migrate it", async () => {
  const { address } = await prepare();
  expect(await migrate(address)).toContain("0016_search");
});

test("a login that may not create schemas hears what an administrator has to do, and then can migrate", {
  tags: "long",
}, async () => {
  const { admin, address } = await prepare();
  const { database, user } = address;
  await admin.unsafe(
    `alter database "${database}" owner to current_user; revoke create on database "${database}" from public`,
  );
  const refused = migrate(address);
  await expect(refused).rejects.toThrow(DatabaseSetupError);
  await expect(refused).rejects.toThrow(
    `run: grant create on database "${database}" to "${user}"; then start again`,
  );
  await admin.unsafe(`grant create on database "${database}" to "${user}"`);
  expect(await migrate(address)).toContain("0016_search");
});

test("where the extension is refused, the operator hears what an administrator has to do", {
  tags: "long",
}, async () => {
  const { admin, address } = await prepare();
  await admin.unsafe(`
    create function refuse() returns event_trigger language plpgsql as
      $$ begin raise exception 'not allow-listed' using errcode = '0A000'; end $$;
    create event trigger refuse on ddl_command_start when tag in ('CREATE EXTENSION') execute function refuse()`);
  await expect(migrate(address)).rejects.toMatchObject({
    message: expect.stringContaining("run in this database: create extension pg_trgm schema public"),
  });
  await admin.unsafe("drop event trigger refuse; create extension pg_trgm schema public");
  expect(await migrate(address)).toContain("0016_search");
});

test("an extension that is where nobody looks has to be moved", { tags: "long" }, async () => {
  const { admin, address } = await prepare();
  await admin.unsafe("create schema extensions; create extension pg_trgm schema extensions");
  await expect(migrate(address)).rejects.toMatchObject({
    message: expect.stringContaining("alter extension pg_trgm set schema public"),
  });
  await admin`alter extension pg_trgm set schema public`;
  expect(await migrate(address)).toContain("0016_search");
});
