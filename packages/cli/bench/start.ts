/**
 * How long the built command line takes, in fresh processes, each in its turn: against Node doing nothing, and beside npm,
 * a bundle of commander with ten commands, and one request with Node's fetch.
 * `--completion` and `label list` ask a server on this machine that answers at once.
 */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "tsup";
import { measureStarts } from "./starts.ts";
import { isShort } from "../../../scripts/short.ts";

const main = join(import.meta.dirname, "../dist/main.js");
const label = { name: "production", versionNumber: 3, updatedAt: "2026-01-01T00:00:00.000Z" };
const server = createServer((_, response) => {
  response.setHeader("content-type", "application/json").setHeader("x-request-id", "req-1");
  response.end(JSON.stringify({ items: [label], nextCursor: null }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
process.env["PROMPTREG_URL"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env["PROMPTREG_TOKEN"] = "prt_bench";

const node = (...args: string[]) => [process.execPath, ...args];
const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.starts-"));
try {
  const bare = await bundleBareCommander();
  await measureStarts(
    {
      "node -e 0": { command: node("-e", "0") },
      "promptreg --version": { command: node(main, "--version"), limitMs: 6 },
      "promptreg --help": { command: node(main, "--help"), limitMs: 15 },
      "promptreg __complete -- lab": { command: node(main, "__complete", "--", "lab"), limitMs: 15 },
      "promptreg label list": {
        command: node(main, "api", "prompts.labels.list", "owner=ada", "slug=reply"),
        limitMs: 60,
      },
      "bare commander --help": { command: node(bare, "--help") },
      "bare fetch": { command: node("-e", "fetch(process.env.PROMPTREG_URL).then((found) => found.json())") },
      "npm --version": { command: ["npm", "--version"] },
      "npm --help": { command: ["npm", "--help"] },
    },
    Number(process.argv[2] ?? (isShort ? 1 : 20)),
  );
} finally {
  server.close();
  await rm(folder, { recursive: true });
}

async function bundleBareCommander(): Promise<string> {
  const source = join(folder, "bare.ts");
  await writeFile(
    source,
    `import { Command } from "commander";
    const program = new Command("bare").description("Does nothing.");
    for (let n = 0; n < 10; n++) program.command("c" + n).description("Nothing.").option("--x <y>", "z").argument("<a>", "b");
    program.parse();`,
  );
  await build({
    config: false,
    silent: true,
    entry: [source],
    outDir: folder,
    outExtension: () => ({ js: ".mjs" }),
    format: "esm",
    platform: "node",
    target: "node22",
    minify: true,
    noExternal: [/.*/],
  });
  return join(folder, "bare.mjs");
}
