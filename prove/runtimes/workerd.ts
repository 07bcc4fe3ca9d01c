import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { createClient } from "../../packages/client/src/index.ts";
import { type Result, type Statement, same, type World } from "./inside/check.ts";

const configOf = (flags: string[]) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-23",
  compatibilityFlags = ${JSON.stringify(flags)},
  bindings = [
    (name = "WORLD", json = embed "world.json"),
    (name = "PROMPTREG_URL", text = embed "url.txt"),
    (name = "PROMPTREG_TOKEN", text = embed "token.txt"),
  ],
);
`;

/** @param flags of compatibility: with `no_nodejs_compat`, a worker has nothing of Node's. */
export const checkInWorkerd = (program: string, flags: string[]) => async (world: World, folder: string) => {
  const files = {
    "worker.capnp": configOf(flags),
    "world.json": JSON.stringify(world),
    "url.txt": world.baseUrl,
    "token.txt": world.token,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await build({
    entryPoints: [join(folder, "worker.ts")],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:workers", "node:*"],
    outfile: join(folder, "worker.js"),
  });
  const child = spawn(program, ["serve", "--control-fd=3", join(folder, "worker.capnp")], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr?.on("data", (text) => (complaints += String(text)));
  try {
    // It says where it listens, and nothing when its module does not load.
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`workerd ended with ${code} before it listened:\n${complaints}`);
    });
    ended.catch(() => {});
    const [said] = await Promise.race([once(child.stdio[3] as Readable, "data"), ended]);
    const url = `http://127.0.0.1:${JSON.parse(String(said)).port}`;
    const results = (await readJson(await fetch(url, { method: "POST" }))) as Result[];
    for (const { says, check } of betweenRequests(url))
      results.push({ says, problem: await Promise.resolve(check(world)).then(() => null, problemOf) });
    // It also tells of what it drops at the end of a request, as it should.
    if (results.some(({ problem }) => problem)) console.error(complaints);
    return results;
  } finally {
    child.kill();
  }
};

/** What one request begins ends with it, and the client is the same for the next. */
function betweenRequests(url: string): Statement[] {
  const get = async (client: string, aheadMs: number) =>
    readJson(await fetch(`${url}/?client=${client}&ahead=${aheadMs}`));
  const move = ({ owner, slug, ...world }: World, versionNumber: number) =>
    createClient(world).prompts.labels.put({ owner, slug, name: "production", body: { versionNumber } });
  return [
    {
      says: "goes on refreshing after an answer, by waitUntil",
      async check(world) {
        await move(world, 1);
        same(await get("waiting", 0), ["network", null, 1]);
        await move(world, 2);
        same(await get("waiting", 90_000), ["memory", "revalidating", 1]);
        let got: unknown[] = [];
        for (let asked = 0; got[2] !== 2 && asked < 500; asked += 1)
          got = (await get("waiting", 90_000)) as unknown[];
        same(got, ["memory", null, 2]);
      },
    },
    {
      says: "refreshes all the same without waitUntil, though what a request began was lost",
      async check(world) {
        await move(world, 1);
        same(await get("alone", 0), ["network", null, 1]);
        await move(world, 2);
        same(await get("alone", 90_000), ["memory", "revalidating", 1]);
        same(await get("alone", 200_000), ["network", null, 2]);
      },
    },
  ];
}

const problemOf = (error: Error) => error.stack ?? String(error);

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text);
}
