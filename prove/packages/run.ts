/** Packs the four packages, checks them with publint and attw, and installs and runs them as a stranger would. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const bin = join(import.meta.dirname, "node_modules/.bin");
const folder = mkdtempSync(join(tmpdir(), "promptreg-packages-"));

const run = (command: string, args: string[], cwd: string) => {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
};

try {
  run("npm", ["run", "-s", "build"], root);
  for (const name of ["core", "client", "server", "cli"]) {
    run("npx", ["--yes", "pnpm@12", "pack", "--pack-destination", folder], join(root, "packages", name));
  }
  const packed = readdirSync(folder).map((name) => join(folder, name));
  for (const file of packed) {
    run(join(bin, "publint"), ["--strict", file], folder);
    // The command line exports nothing that could be imported.
    if (!file.includes("-cli-")) run(join(bin, "attw"), ["--profile", "esm-only", file], folder);
    console.log(`✓ ${file.slice(folder.length + 1)} ${Math.round(statSync(file).size / 1024)} KiB`);
  }

  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  run("npm", ["install", "--no-audit", "--no-fund", ...packed], folder);
  const use = `
    import { createClient, parseRef } from "@promptreg/client";
    import { signSync, verifySync } from "@promptreg/core/webhooks/node";
    const { owner } = parseRef("ada/greeting@production");
    verifySync("{}", signSync("{}", "whsec_test"), "whsec_test");
    console.log(owner, typeof createClient({ baseUrl: "http://127.0.0.1:9" }).prompts.labels.put);`;
  writeFileSync(join(folder, "use.js"), use);
  console.log(`✓ installed and used: ${run(process.execPath, ["use.js"], folder).trim()}`);
  for (const name of ["promptreg", "promptreg-server"]) {
    const version = run(join(folder, "node_modules/.bin", name), ["--version"], folder).trim();
    console.log(`✓ ${name} ${version}`);
  }
  const migrated = run(join(folder, "node_modules/.bin/promptreg-server"), ["migrate"], folder);
  console.log(`✓ promptreg-server migrate, on its own PostgreSQL: ${migrated.trim()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
