/**
 * `npm run pack -- <folder>`: packs the four packages as they are published. By pnpm, which writes a version where a package
 * says `workspace:*`; npm would leave that, and nobody could install it.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error("Name the folder for the archives: npm run pack -- <folder>");
  process.exit(2);
}
const folder = resolve(process.env["INIT_CWD"] ?? ".", target);
mkdirSync(folder, { recursive: true });
for (const name of ["core", "client", "server", "cli"]) {
  const { status } = spawnSync("npx", ["--yes", "pnpm@12", "pack", "--pack-destination", folder], {
    cwd: join(import.meta.dirname, "../packages", name),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
