import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentOf } from "../../test/commands.ts";
import { createDatabase, startTestServer, type TestDatabase, type TestServer } from "../../test/harness.ts";
import { run as runCommand } from "../../test/process.ts";

let server: TestServer;
let other: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), "promptreg-export-"));

beforeAll(async () => {
  server = await startTestServer();
  other = await createDatabase();
  await server.join("ada");
});
afterAll(async () => {
  await server.stop();
  await other.drop();
  rmSync(folder, { recursive: true });
});

const run = (database: TestDatabase, ...args: string[]) => runCommand(args, environmentOf(database));

test("an export is imported by another server, and the commands end when that is done", {
  tags: "long",
}, async () => {
  const exported = await run(server.database, "export", join(folder, "all"));
  expect([exported.code, exported.stdout]).toEqual([0, ""]);
  const imported = await run(other, "import", join(folder, "all"));
  expect([imported.code, imported.stdout]).toEqual([0, ""]);
  // The last of what is said, after every table.
  expect(imported.stderr).toMatch(/\n +1 {2}users\n(.*\n)+Imported \d+ rows of \d+ tables\.\n$/);
});

test("an import that cannot be done says why in one sentence, and fails", { tags: "long" }, async () => {
  const { code, stderr } = await run(server.database, "import", join(folder, "all"));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Importing .*\npromptreg-server: The database already has accounts\..*\n$/);
});
