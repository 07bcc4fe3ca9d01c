/**
 * How long the command line takes to start beside its neighbours, in fresh processes, each in its turn. Those that download
 * programs of their own while they are installed, such as promptfoo, are left out.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { measureStarts } from "../../packages/cli/bench/starts.ts";
import { isShort } from "../../scripts/short.ts";

// None of them is to call home.
Object.assign(process.env, {
  VERCEL_TELEMETRY_DISABLED: "1",
  WRANGLER_SEND_METRICS: "false",
  NO_UPDATE_NOTIFIER: "1",
  DO_NOT_TRACK: "1",
});
const folder = mkdtempSync(join(tmpdir(), "promptreg-starts-"));
try {
  // Without a lockfile: where a registry lacks a part for some other system, `npm ci` would refuse it.
  const neighbours = {
    private: true,
    dependencies: { "langfuse-cli": "1.2.4", ...(!isShort && { vercel: "64.0.2", wrangler: "4.164.0" }) },
    overrides: { vercel: { sandbox: "4.5.0" } },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(neighbours));
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...options], { cwd: folder, stdio: "inherit" });

  const modules = join(folder, "node_modules");
  const programs = {
    promptreg: resolve(import.meta.dirname, "../../packages/cli/dist/main.js"),
    langfuse: join(modules, "langfuse-cli/bin/langfuse.mjs"),
    ...(!isShort && {
      vercel: join(modules, "vercel/dist/vc.js"),
      wrangler: join(modules, "wrangler/bin/wrangler.js"),
    }),
  };
  const starts = Object.entries(programs).flatMap(([name, file]) =>
    ["--version", "--help"].map((flag) => [`${name} ${flag}`, { command: [process.execPath, file, flag] }]),
  );
  await measureStarts(
    {
      "node -e 0": { command: [process.execPath, "-e", "0"] },
      ...Object.fromEntries(starts),
      "npm --version": { command: ["npm", "--version"] },
      "npm --help": { command: ["npm", "--help"] },
    },
    Number(process.argv[2] ?? (isShort ? 1 : 12)),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
