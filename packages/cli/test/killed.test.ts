import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThorough } from "../../core/src/testing/growth.ts";
import { recoverRuns } from "../src/disk/recover.ts";
import { contentOf, git, makeHome } from "./folders.ts";
import { startInstallScene } from "./installed.ts";

const scene = await startInstallScene();
const home = await makeHome();
/** Processes cannot reach what runs in ours: this passes their requests on. */
const server = createServer((request, response) => void passOn(request, response));
async function passOn(request: IncomingMessage, response: ServerResponse) {
  const body = request.method === "POST" ? await buffer(request) : undefined;
  const headers = Object.entries(request.headers).filter(
    ([name]) => name !== "host" && name !== "connection",
  );
  const answer = await scene.registry.fetch(`${scene.registry.baseUrl}${request.url}`, {
    method: request.method ?? "GET",
    headers: headers as [string, string][],
    ...(body && { body: new Uint8Array(body) }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await scene.registry.close();
});
const main = join(import.meta.dirname, "../dist/main.js");

/** Sends the process a signal at its n-th change of the disk, and gives it the time to arrive. */
const killAt = (signal: string, n: number) => `
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
let count = 0;
for (const name of ["mkdir", "writeFile", "rename", "rm", "rmdir"]) {
  const real = fs[name];
  fs[name] = async (...args) => {
    if ((count += 1) === ${n}) {
      process.kill(process.pid, "${signal}");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return real(...args);
  };
}
syncBuiltinESMExports();`;

/** Runs a command line in a process of its own, and says which signal ended it. */
async function killed(args: string, signal: string, n: number): Promise<string | null> {
  const { token } = scene.registry;
  const env = { ...process.env, PROMPTREG_URL: url, PROMPTREG_TOKEN: token, XDG_CONFIG_HOME: home.place() };
  const preload = `data:text/javascript,${encodeURIComponent(killAt(signal, n))}`;
  return promisify(execFile)(process.execPath, ["--import", preload, main, ...args.split(" ")], { env }).then(
    () => null,
    (error: { signal?: string }) => {
      if (error.signal) return error.signal;
      throw error;
    },
  );
}

/** Of some thirty steps `npm run prove -- thorough` tries each. */
const apart = isThorough ? 1 : 6;

const record = "promptreg.installed.json";
const left = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith(".promptreg-") && name !== ".promptreg-state");

describe("a command that is killed while it writes", () => {
  let before: string;
  let after: Record<string, string>;
  const head = "---\nname: reply\ndescription: Replies.\n---\n";
  const more = [{ path: "a/one.md", content: "One" }];
  beforeAll(async () => {
    await scene.create("reply", `${head}One.`, "skill", more);
    const project = await scene.project();
    await project.run("install ada/reply --for claude");
    before = project.folder;
    await scene.client.prompts.versions.create({
      owner: "ada",
      slug: "reply",
      body: {
        files: [
          { path: "SKILL.md", content: `${head}Two.` },
          { path: "b/two.md", content: "Two" },
        ],
      },
    });
    const updated = home.place();
    await cp(before, updated, { recursive: true });
    await scene.run(`update --project ${updated}`);
    after = await contentOf(updated);
  });
  const copied = async () => {
    const folder = home.place();
    await cp(before, folder, { recursive: true });
    return folder;
  };

  test("leaves all old files or all new ones to the next command, at whatever step it was", async () => {
    const old = await contentOf(before);
    const seen = { undone: 0, done: 0 };
    for (let n = 1, signal: string | null = "SIGKILL"; signal !== null; n += apart) {
      const folder = await copied();
      signal = await killed(`update --project ${folder}`, "SIGKILL", n);
      await recoverRuns(folder, join(folder, record));
      const content = await contentOf(folder);
      const isNew = content[record] === after[record];
      expect({ n, content }).toEqual({ n, content: isNew ? after : old });
      seen[isNew ? "done" : "undone"] += 1;
      expect(await scene.run(`update --project ${folder}`)).toMatchObject({ exitCode: 0 });
      expect({ n, content: await contentOf(folder) }).toEqual({ n, content: after });
    }
    expect(seen.undone).toBeGreaterThan(2);
    expect(seen.done).toBeGreaterThan(1);
  });

  test("is named by `installed`, hidden from git, and undone by the next command, which says so", async () => {
    const folder = await copied();
    git(folder, "init", "-q");
    for (let n = 12; (await left(folder)).length === 0; n += 1)
      await killed(`update --project ${folder}`, "SIGKILL", n);
    const [name = ""] = await left(folder);
    expect((await scene.run(`installed --project ${folder}`)).stderr).toContain(name);
    git(folder, "add", "-A");
    expect(git(folder, "ls-files")).not.toContain(name);
    const next = await scene.run(`update --project ${folder}`);
    expect(next).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("A command was killed") });
    expect(await left(folder)).toEqual([]);
    await rm(join(folder, ".git"), { recursive: true });
    expect(await contentOf(folder)).toEqual(after);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    test(`finishes first at ${signal}`, signal === "SIGTERM" ? {} : { tags: "long" }, async () => {
      for (const n of [5, 9]) {
        const folder = await copied();
        expect(await killed(`update --project ${folder}`, signal, n)).toBeNull();
        expect(await contentOf(folder)).toEqual(after);
      }
    });

  test("does not lose what somebody wrote since, and leaves a run alone that is alive", async () => {
    const sha256 = "0".repeat(64);
    const make = async (pid: number) => {
      const folder = home.place();
      const host = /-(\w{8})-/.exec((await nameOfRun()) ?? "")?.[1] ?? "";
      const draft = join(folder, `.promptreg-${pid}-${host}-${crypto.randomUUID()}`);
      await mkdir(join(draft, "old"), { recursive: true });
      await writeFile(join(draft, "old", "a.md"), "Old");
      await writeFile(join(draft, "plan.json"), JSON.stringify([{ path: "../x", sha256 }]));
      return folder;
    };
    const alive = await make(process.ppid);
    expect(await recoverRuns(alive)).toEqual([]);
    const dead = await make(2 ** 22 + 1);
    await writeFile(join(dead, "a.md"), "Mine");
    expect((await recoverRuns(dead)).join()).toContain("a.md changed since");
    expect(await contentOf(dead)).toMatchObject({ "a.md": "Mine" });
    await rm(join(dead, "a.md"));
    await recoverRuns(dead);
    expect(await contentOf(dead)).toEqual({ "a.md": "Old" });
  });
});

/** The name that a run of this process has. */
async function nameOfRun(): Promise<string | undefined> {
  const { beginRun, endRun } = await import("../src/disk/runs.ts");
  const folder = home.place();
  await mkdir(folder);
  const run = await beginRun(folder);
  const [name] = await readdir(folder);
  await endRun(run);
  return name;
}

test("a pull that is killed is undone by the next, and a push does not take it for a change", {
  tags: "long",
}, async () => {
  const into = home.place();
  await scene.create("pulled", "One.");
  await scene.run(`pull ada/pulled --into ${into}`);
  await scene.commit("pulled", "Two.");
  const folder = join(into, "pulled");
  for (let n = 7; (await contentOf(folder))["PROMPT.md"] !== undefined; n += 1)
    await killed(`pull ada/pulled --into ${into}`, "SIGKILL", n);
  expect(await scene.run(`push ${folder}`)).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining("a pull was killed while it wrote here"),
  });
  expect((await scene.run(`pull ada/pulled --into ${into}`)).exitCode).toBe(0);
  expect((await contentOf(folder))["PROMPT.md"]).toContain("Two.");
  expect(await left(folder)).toEqual([]);
});

test("a full disk under standard output is said plainly", async () => {
  const { token } = scene.registry;
  const env = { ...process.env, PROMPTREG_URL: url, PROMPTREG_TOKEN: token };
  await scene.create("full", "One.");
  const line = `"${process.execPath}" "${main}" download ada/full -o - > /dev/full`;
  await expect(promisify(execFile)("sh", ["-c", line], { env })).rejects.toMatchObject({
    code: 6,
    stderr: expect.stringContaining("The output cannot be written: the disk is full. Free some space."),
  });
});

test("a fork is not made where its files cannot be written, and an error after it names the next step", async () => {
  const { token } = await scene.registry.createAccount("bob");
  const env = { PROMPTREG_TOKEN: token };
  await scene.create("source", "One.");
  const file = home.place();
  await writeFile(file, "A file");
  const refused = await scene.run(`fork ada/source --into ${file}`, { env });
  expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("Nothing was forked.") });
  expect((await scene.run("show bob/source", { env })).exitCode).toBe(4);
  const into = home.place();
  await home.prompt(join(into, "source"), "bob/another");
  const after = await scene.run(`fork ada/source --into ${into}`, { env });
  expect(after.stderr).toContain(`The fork bob/source exists.`);
  expect(after.stderr).toContain(`promptreg pull bob/source --into ${into}`);
});
