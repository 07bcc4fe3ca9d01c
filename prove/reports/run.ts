// A file of promptfoo with 100,000 results is reported to a real server, beside `JSON.parse` of the same file: time, and peak memory.
// A fifth of it is reported too: memory must not grow with the file. `--count=<number>` makes another number of results.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createClient } from "@promptreg/client";
import { writePromptfoo } from "../../packages/cli/test/promptfoo.ts";
import { cleanUp, newDataDir, run, start } from "../../packages/server/test/process.ts";
import { isShort } from "../../scripts/short.ts";

const { values: given } = parseArgs({
  options: { count: { type: "string", default: isShort ? "1000" : "100000" } },
});
const cli = resolve(import.meta.dirname, "../../packages/cli/dist/main.js");
const folder = await mkdtemp(join(tmpdir(), "promptreg-reports-"));

/** Says at its end how much memory a process took at most, in kibibytes. */
const told = `process.on("exit", () => require("fs").writeSync(2, "peak " + process.resourceUsage().maxRSS + "\\n"));`;

interface Measured {
  seconds: number;
  peakMb: number;
  code: number | null;
  said: string;
}

async function measure(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Measured> {
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from "node:module"; const require = createRequire("/"); ${told}`)}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", preload, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, "close")]);
  const seconds = (performance.now() - startedAt) / 1000;
  const said = `${String(out)}${String(err)}`;
  const peakMb = Math.round(Number(/^peak (\d+)$/m.exec(said)?.[1]) / 1024);
  return { seconds, peakMb, code: child.exitCode, said };
}

function show(what: string, { seconds, peakMb }: Measured, bytes: number): void {
  const size = `${Math.round(bytes / 1e6)} MB`;
  console.log(
    `  ${what.padEnd(44)} ${size.padStart(8)} ${seconds.toFixed(1).padStart(7)} s ${String(peakMb).padStart(6)} MB at most`,
  );
}

try {
  const env = { PROMPTREG_DATA_DIR: newDataDir() };
  const { url } = await start(["serve"], env);
  const count = Number(given.count);
  const peaks: number[] = [];
  for (const part of [Math.ceil(count / 5), count]) {
    const path = join(folder, `${part}.json`);
    await writePromptfoo(path, part);
    const { size } = await stat(path);
    // An account for each report: together they would have to wait for the rate limit.
    const owner = `ada-${part}`;
    await run(["user", "add", owner], env);
    const token = (await run(["token", "create", "--user", owner], env)).stdout.trim();
    const prompt = { kind: "text" as const, slug: "reply", title: "Reply" };
    const files = [{ path: "PROMPT.md", content: "Hello." }];
    await createClient({ baseUrl: url, token }).prompts.create({ body: { ...prompt, files } });
    const parsing = `JSON.parse(require("fs").readFileSync(${JSON.stringify(path)}, "utf8"))`;
    show(`${part} results, JSON.parse`, await measure(["--eval", parsing]), size);
    const args = ["eval", "report", path, "--prompt", `${owner}/reply@1`, "--threshold", "0.5", "--json"];
    const reported = await measure([cli, ...args], { PROMPTREG_URL: url, PROMPTREG_TOKEN: token });
    show(`${part} results, promptreg eval report`, reported, size);
    if (reported.code !== 0 || !reported.said.includes(`"total": ${part}`)) throw new Error(reported.said);
    peaks.push(reported.peakMb);
    await rm(path);
  }
  const [small = 0, large = 0] = peaks;
  if (large > small + 250 && !isShort)
    throw new Error(`Memory grows with the file: ${small} MB, then ${large} MB.`);
} finally {
  await cleanUp();
  await rm(folder, { recursive: true, force: true });
}
