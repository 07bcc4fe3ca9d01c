/** How long `npm start` takes on existing data until it is ready, against Node doing nothing, and the memory it rests at. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isShort } from "../../../scripts/short.ts";

const root = join(import.meta.dirname, "../../..");
const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const env = { ...process.env, PROMPTREG_DATA_DIR: join(folder, "data"), PORT: "0", DATABASE_URL: "", CI: "" };

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function nothing(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ["-e", "0"]), "exit");
  return performance.now() - startedAt;
}

async function start(): Promise<{ ms: number; memory: number }> {
  const startedAt = performance.now();
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let output = "";
  npm.stdout.on("data", (chunk) => (output += chunk));
  while (!output.includes("Promptreg serves")) await once(npm.stdout, "data");
  const ms = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, isShort ? 300 : 3_000));
  const memory = await memoryOf(npm.pid ?? 0);
  process.kill(-(npm.pid ?? 0), "SIGINT");
  await once(npm, "exit");
  return { ms, memory };
}

/** The resident memory of the server process, the one below npm and the root script, in MiB. */
async function memoryOf(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8"))
    .trim()
    .split(" ")
    .filter(Boolean);
  if (children.length > 0)
    return Math.max(...(await Promise.all(children.map((child) => memoryOf(Number(child))))));
  const kib = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib ?? 0) / 1024;
}

try {
  await start();
  const floor: number[] = [];
  const ours: { ms: number; memory: number }[] = [];
  for (let round = 0; round < (isShort ? 1 : 5); round++) {
    floor.push(await nothing());
    ours.push(await start());
  }
  const ms = median(ours.map((one) => one.ms));
  console.log(
    `npm start until ready (limit 2 s)   node -e 0 ${Math.round(median(floor))} ms  ours ${Math.round(ms)} ms` +
      `  times ${(ms / median(floor)).toFixed(1)}  memory at rest ${Math.round(median(ours.map((one) => one.memory)))} MiB`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
