/**
 * How long the command line takes to start beside its neighbours, in fresh processes, each in its turn. Those that download
 * programs of their own while they are installed, such as promptfoo, are left out.
 */
import { join, resolve } from "node:path";
import { measureStarts } from "../../packages/cli/bench/starts.ts";

// None of them is to call home.
Object.assign(process.env, {
  VERCEL_TELEMETRY_DISABLED: "1",
  WRANGLER_SEND_METRICS: "false",
  NO_UPDATE_NOTIFIER: "1",
  DO_NOT_TRACK: "1",
});
const modules = join(import.meta.dirname, "node_modules");
const programs = {
  promptreg: resolve(import.meta.dirname, "../../packages/cli/dist/main.js"),
  langfuse: join(modules, "langfuse-cli/bin/langfuse.mjs"),
  vercel: join(modules, "vercel/dist/vc.js"),
  wrangler: join(modules, "wrangler/bin/wrangler.js"),
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
  Number(process.argv[2] ?? 12),
);
