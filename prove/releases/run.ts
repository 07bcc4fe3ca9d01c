// Runs the last release beside this one on one database, in both orders: for each operation of the last release, one of the two makes what it is about, and
// the other one is asked. Both send deliveries. Then the last release's own contract tests run on the schema of this one.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnPostgres } from "../../packages/server/src/testing/postgres.ts";
import { cleanUp } from "../../packages/server/test/process.ts";
import { proveBeside } from "../../packages/server/test/releases/beside.ts";

const root = join(import.meta.dirname, "../..");
const releases: { version: string; commit: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "releases.json"), "utf8"),
);
const last = releases.at(-1);
if (!last) throw new Error("releases.json names no release");
const { version, commit } = last;

if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).status !== 0) {
  console.log(`not proved: this clone lacks the commit of release ${version}, ${commit}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "promptreg-releases-"));
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void end().finally(() => process.exit(130)));

console.log(`release ${version}, commit ${commit}`);
const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
execFileSync("tar", ["-x", "-C", folder], { input: archive });
// The Node that runs this one is not for the other tree, which installs its own.
execFileSync(process.execPath, ["scripts/run.mjs", "generate"], { cwd: folder, stdio: "inherit" });

const postgres = await startOwnPostgres();
try {
  for (const first of ["last", "today"] as const) {
    const problems = await proveBeside({ postgresUrl: postgres.url, folder, first });
    for (const problem of problems) console.log(`✗ ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    else console.log(first === "last" ? `✓ today's beside ${version}` : `✓ ${version} on today's schema`);
  }
} finally {
  await postgres.stop();
}

cpSync(join(root, "packages/server/migrations"), join(folder, "packages/server/migrations"), {
  recursive: true,
});
// What each test says is of interest only where one fails.
const tests = ["--", "--project", "server", "/contract.test.ts", "src/story.test.ts"];
const { status, stdout } = spawnSync("npm", ["test", "-s", ...tests], {
  cwd: folder,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  maxBuffer: Number.POSITIVE_INFINITY,
  env: { ...process.env, NO_COLOR: "1" },
});
const lines = stdout.trimEnd().split("\n");
if (status === 0) console.log(`✓ the contract tests of ${version} on today's schema: ${lines.at(-1)}`);
else {
  console.log(lines.slice(-100).join("\n"));
  process.exitCode = 1;
}
await end();

async function end(): Promise<void> {
  await cleanUp();
  rmSync(folder, { recursive: true, force: true });
}
