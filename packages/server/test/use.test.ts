import { execFileSync } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createDatabase } from "./harness.ts";

/** What a program uses, as a run of the tests counts it. */
function useOf(program: string): Record<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "use-"));
  const counting = fileURLToPath(new URL("../../../scripts/test-use.ts", import.meta.url));
  execFileSync(process.execPath, [`--import=${counting}`, "--input-type=module", "-e", program], {
    env: { ...process.env, PROMPTREG_TEST_USE: folder },
  });
  const use = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).length]);
  rmSync(folder, { recursive: true });
  return Object.fromEntries(use) as Record<string, number>;
}

test("a run counts one request, one server, one database and one process as one each", async () => {
  let databases = 0;
  channel("promptreg.test.database").subscribe(() => (databases += 1));
  await (await createDatabase({ isEmpty: true })).drop();
  expect(databases).toBe(1);
  const use = useOf(`
    import { spawn } from "node:child_process";
    import { channel } from "node:diagnostics_channel";
    import { createServer } from "node:http";
    channel("promptreg.test.database").publish({});
    spawn(process.execPath, ["-e", "0"]);
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1", async () => {
      await (await fetch("http://127.0.0.1:" + server.address().port)).text();
      server.close();
      server.closeAllConnections();
    });`);
  expect(use).toEqual({ requests: 1, servers: 1, databases: 1, processes: 1 });
});
