/** `npm run bench -- [name] [options]`: runs the benchmark of that name, those whose names begin so, or all. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Each prints ratios to the least that could be done, measured in the same run. */
const benches = {
  cli: "packages/cli/bench/start.ts",
  client: "packages/client/bench/client.ts",
  comments: "packages/server/bench/comments.ts",
  commits: "packages/server/bench/commits.ts",
  deliveries: "packages/server/bench/deliveries.ts",
  downloads: "packages/server/bench/downloads.ts",
  duplicates: "packages/core/bench/duplicates.ts",
  evals: "packages/server/bench/evals.ts",
  events: "packages/server/bench/events.ts",
  imports: "packages/core/bench/imports.ts",
  lists: "packages/server/bench/lists.ts",
  live: "packages/server/bench/live.ts",
  media: "packages/server/bench/media.ts",
  reads: "packages/server/bench/reads.ts",
  replicas: "packages/server/bench/replicas.ts",
  signatures: "scripts/bench/signatures.ts",
  start: "packages/server/bench/start.ts",
  texts: "packages/server/bench/texts.ts",
  votes: "packages/server/bench/votes.ts",
};

const [wanted = "", ...options] = process.argv.slice(2);
const chosen = Object.entries(benches).filter(([name]) =>
  Object.hasOwn(benches, wanted) ? name === wanted : name.startsWith(wanted),
);
if (chosen.length === 0) {
  console.error(`Unknown benchmark "${wanted}". Valid names: ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
for (const [name, file] of chosen) {
  console.log(`\n${name}`);
  const given = ["--conditions=@promptreg/source", join(root, file), ...options];
  const { status } = spawnSync(process.execPath, given, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
