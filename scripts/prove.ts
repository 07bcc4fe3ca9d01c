/** `npm run prove -- [name] [options]`: proofs that take long or need tools that are not installed otherwise. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../prove");
const proofs = readdirSync(root).filter((name) => existsSync(join(root, name, "run.ts")));
const [wanted = "", ...options] = process.argv.slice(2);
const chosen = proofs.filter((name) => name.startsWith(wanted));
if (chosen.length === 0) {
  console.error(`Unknown proof "${wanted}". Valid names: ${proofs.join(", ")}.`);
  process.exit(2);
}

const run = (folder: string, command: string, args: string[]) => {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
};
for (const name of chosen) {
  console.log(`\n${name}`);
  const folder = join(root, name);
  // Each has its own lockfile, outside the workspace, so that the root install stays small.
  if (existsSync(join(folder, "package.json")) && !existsSync(join(folder, "node_modules")))
    run(folder, "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  run(folder, process.execPath, ["--conditions=@promptreg/source", "run.ts", ...options]);
}
