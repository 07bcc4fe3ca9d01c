// One file of statements about the client, as it is published, against a real registry, in every runtime that it is
// for: imported as it is where there is a command line, bundled for a page and for workers. Prints how many hold where.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "../../packages/client/src/index.ts";
import { signSync } from "../../packages/core/src/webhooks/node.ts";
import { cleanUp, newDataDir, run, start } from "../../packages/server/test/process.ts";
import type { World } from "./inside/check.ts";
import { listen } from "./listen.ts";
import { runtimes } from "./runtimes.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "promptreg-runtimes-"));
const env = { PROMPTREG_DATA_DIR: newDataDir() };
const closers: (() => unknown)[] = [cleanUp, () => rmSync(folder, { recursive: true, force: true })];
let failed = 0;
let passed = 0;
try {
  installPacked();
  const registry = await start(["serve"], env);
  closers.unshift(() => registry.stop());
  await run(["user", "add", "ada"], env);
  const token = (await run(["token", "create", "--user", "ada"], env)).stdout.trim();
  const owner = createClient({ baseUrl: registry.url, token });
  const { url: silentUrl, close } = await startSilent();
  closers.unshift(close);

  for (const [index, { name, lacks, check }] of runtimes.entries()) {
    const { slug, delivery } = await prepare(owner, `runtime-${index}`);
    const world = { baseUrl: registry.url, token, silentUrl, owner: "ada", slug, delivery, lacks };
    const results = await check(world, folder).catch((error: Error) => [
      { says: "starts", problem: `${error.stack}` },
    ]);
    const applicable = results.filter(({ problem }) => problem !== undefined);
    const problems = applicable.filter(({ problem }) => problem !== null);
    const held = applicable.length - problems.length;
    console.log(`${problems.length === 0 ? "✓" : "✗"} ${name.padEnd(36)} ${held} of ${applicable.length}`);
    for (const { says } of results.filter(({ problem }) => problem === undefined))
      console.log(`    without: ${says}`);
    for (const { says, problem } of problems) console.log(`    ✗ ${says}\n${problem}`);
    passed += held;
    failed += problems.length;
  }
} finally {
  for (const close of closers) await close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** The client and core as a stranger installs them, and beside them what is said of them. */
function installPacked(): void {
  const packed = join(folder, "packed");
  const call = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  for (const name of ["core", "client"])
    call("npx", ["--yes", "pnpm@12", "pack", "--pack-destination", packed], join(root, "packages", name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const files = readdirSync(packed).map((name) => join(packed, name));
  call("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...files], folder);
  cpSync(join(import.meta.dirname, "inside"), folder, { recursive: true });
}

/** Answers a browser that asks whether it may, and nobody else. */
async function startSilent() {
  return listen(
    createServer((request, response) => {
      if (request.method !== "OPTIONS") return;
      const any = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization" };
      response.writeHead(204, any).end();
    }),
  );
}

/** A prompt for one runtime, and a delivery that tells of it. */
async function prepare(client: Client, slug: string): Promise<Pick<World, "slug" | "delivery">> {
  const files = (word: string) => [{ path: "PROMPT.md", content: `${word} for {{name}}.` }];
  const prompt = { owner: "ada", slug };
  const { id } = await client.prompts.create({
    body: { kind: "text", slug, title: "Reply", files: files("One") },
  });
  await client.prompts.versions.create({ ...prompt, body: { files: files("Two") } });
  await client.prompts.labels.put({ ...prompt, name: "production", body: { versionNumber: 1 } });
  const data = { prompt: { id, ref: `ada/${slug}`, url: "https://registry.example/é" } };
  const body = JSON.stringify({
    id: `evt_${slug}`,
    event: "prompt.label.moved",
    createdAt: new Date(),
    data,
  });
  const secret = "whsec_of_this_proof";
  return { slug, delivery: { body, header: signSync(body, secret), secret } };
}
