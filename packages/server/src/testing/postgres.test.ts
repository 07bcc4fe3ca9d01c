import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startRegistry } from "./index.ts";

// A process of its own, as a test runner would start it, which says what it has.
const program = `
  const { startRegistry } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
  const registries = [await startRegistry(), await startRegistry()];
  const answers = await Promise.all(registries.map(({ fetch, baseUrl, token }) =>
    fetch(baseUrl + "/api/v1/me", { headers: { authorization: "Bearer " + token } })));
  process.stdout.write(answers.map(({ status }) => status).join());
  if (process.env.STAYS) setInterval(() => {}, 1000);
  else for (const registry of registries) await registry.close();`;

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "promptreg-test-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}) {
  child = spawn(
    process.execPath,
    ["--conditions=@promptreg/source", "--input-type=module", "--eval", program],
    { env: { ...process.env, TMPDIR: folder, ...env }, stdio: ["ignore", "pipe", "inherit"] },
  );
  return child;
}

/** Its data go after PostgreSQL has ended. */
async function untilNothingIsLeft(): Promise<void> {
  while (readdirSync(folder).length > 0) await delay(20);
}

test("a PostgreSQL of its own serves all registries of a process, and leaves nothing behind", {
  tags: "long",
}, async () => {
  const running = start();
  expect(String((await once(running.stdout!, "data"))[0])).toBe("200,200");
  expect(await once(running, "exit")).toEqual([0, null]);
  await untilNothingIsLeft();
});

test("it leaves nothing behind either when the process is killed", { tags: "long" }, async () => {
  const running = start({ STAYS: "1" });
  await once(running.stdout!, "data");
  const [name = ""] = readdirSync(folder);
  expect(existsSync(join(folder, name, "postgres/postmaster.pid"))).toBe(true);
  running.kill("SIGKILL");
  await untilNothingIsLeft();
});

test("a database that cannot be reached is said to be so", async () => {
  await expect(startRegistry({ databaseUrl: "postgres://somebody@127.0.0.1:1/none" })).rejects.toThrow(
    "ECONNREFUSED",
  );
});
