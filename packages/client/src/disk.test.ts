import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { promptDisk } from "./disk.ts";
import { createClient, type Fetch } from "./index.ts";

let folder: string;
let isDown: boolean;
let asked: number;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "promptreg-disk-")), "prompts");
  [isDown, asked] = [false, 0];
});
// Cache entries are written in the background, also during this.
afterEach(() => rm(join(folder, ".."), { recursive: true, force: true, maxRetries: 9, retryDelay: 20 }));

let status = 200;
/** A registry with one prompt, until it is down. */
const fetch: Fetch = async (url) => {
  asked += 1;
  if (isDown) throw new TypeError("fetch failed");
  const headers = { "x-request-id": "req-1" };
  const error = { code: "gone", message: "It is gone.", requestId: "req-1" };
  if (status !== 200) return Response.json({ error }, { status, headers });
  const version = {
    n: 1,
    promptId: "prm_1",
    entry: "PROMPT.md",
    files: [{ path: "PROMPT.md", encoding: "utf8", content: "Hello." }],
    variables: [],
    config: {},
  };
  const resolvedBy = { type: "label", value: new URL(url).searchParams.get("label") };
  return Response.json({ ref: "ada/reply", yanked: false, resolvedBy, version }, { headers });
};
const clientOf = (token = "prt_one", baseUrl = "https://registry.example") =>
  createClient({ baseUrl, token, fetch, retries: 0, cache: { disk: promptDisk(folder) } });
const files = () => readdir(folder).catch(() => []);
const written = () => vi.waitFor(async () => expect((await files()).join()).toMatch(/^\w{64}\.json$/));

test("a prompt stays on disk after its process, and is served from there during an outage", async () => {
  await clientOf().prompt("ada/reply@production").get();
  await written();
  isDown = true;
  const next = clientOf().prompt("ada/reply@production");
  expect(await next.get()).toMatchObject({ source: "disk", version: 1, staleReason: null });
  expect(asked).toBe(1);
  expect(await next.get()).toMatchObject({ source: "memory", version: 1 });
});

test("a failed write rejects, and leaves no other files", async () => {
  const disk = promptDisk(folder);
  await disk.write("ada/reply", "first");
  const [name = ""] = await files();
  await rm(join(folder, name));
  await mkdir(join(folder, name, "in the way"), { recursive: true });
  await expect(disk.write("ada/reply", "second")).rejects.toMatchObject({ code: expect.any(String) });
  expect(await files()).toEqual([name]);
  expect(await disk.read("ada/reply")).toBeUndefined();
});

test("files are readable to their owner alone, and contain no token, nor do their names", async () => {
  await clientOf("prt_secret").prompt("ada/reply@production").get();
  await written();
  const [name = ""] = await files();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect(name + (await readFile(join(folder, name), "utf8"))).not.toContain("secret");
});

test.each([
  ["another token", "prt_two", "https://registry.example"],
  ["another registry", "prt_one", "https://elsewhere.example"],
])("an entry of one account is not served to %s", async (_, token, baseUrl) => {
  await clientOf().prompt("ada/reply@production").get();
  await written();
  await clientOf(token, baseUrl).prompt("ada/reply@production").get();
  expect(asked).toBe(2);
});

test("nor is it where a function gives the tokens", async () => {
  const get = (token: string) => {
    const cache = { disk: promptDisk(folder) };
    const options = {
      baseUrl: "https://registry.example",
      token: async () => token,
      fetch,
      retries: 0,
      cache,
    };
    return createClient(options).prompt("ada/reply@production").get();
  };
  await get("prt_one");
  await written();
  expect((await get("prt_two")).source).toBe("network");
  expect((await get("prt_one")).source).toBe("disk");
});

test.each([
  ["XDG_CACHE_HOME", "promptreg"],
  ["HOME", ".cache/promptreg"],
])("without a folder, entries are in the user's cache, by %s", async (name, place) => {
  vi.stubEnv("XDG_CACHE_HOME", "");
  vi.stubEnv(name, folder);
  await promptDisk().write("ada/reply", "text");
  vi.unstubAllEnvs();
  expect(await readdir(join(folder, place))).toHaveLength(1);
});

test("a refusal deletes the cache entry", async () => {
  await clientOf().prompt("ada/reply@production").get();
  await written();
  status = 410;
  try {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    await expect(clientOf().prompt("ada/reply@production").get()).rejects.toMatchObject({ status: 410 });
  } finally {
    status = 200;
    vi.useRealTimers();
  }
  await vi.waitFor(async () => expect(await files()).toEqual([]));
});

test("a damaged file, or a disk that cannot be written, breaks nothing", async () => {
  await clientOf().prompt("ada/reply@production").get();
  await written();
  const [name = ""] = await files();
  await writeFile(join(folder, name), '{"half');
  expect(await clientOf().prompt("ada/reply@production").get()).toMatchObject({ source: "network" });
  const nowhere = createClient({ fetch, cache: { disk: promptDisk("/dev/null/prompts") } });
  expect(await nowhere.prompt("ada/reply").get()).toMatchObject({ source: "network" });
});

test("entries that nobody wrote for a month are deleted, and nothing else", async () => {
  await clientOf().prompt("ada/reply@production").get();
  await written();
  const [old = ""] = await files();
  // A folder with the name of an entry cannot be deleted as one, and comes last.
  const theirs = ["theirs", `x${"f".repeat(64)}.json`, `${"f".repeat(64)}.json`];
  const [, file = "", ...folders] = theirs;
  for (const name of ["theirs", ...folders]) await mkdir(join(folder, name));
  await writeFile(join(folder, file), "");
  for (const name of [old, ...theirs]) await utimes(join(folder, name), 0, 0);
  await clientOf("prt_two").prompt("ada/reply@production").get();
  await vi.waitFor(async () => expect(await files()).not.toContain(old));
  await vi.waitFor(async () => expect(await files()).toHaveLength(4));
  expect(await files()).toEqual(expect.arrayContaining(theirs));
});

test("processes that write the same prompt at once leave one complete file", async () => {
  const disks = Array.from({ length: 20 }, () => promptDisk(folder));
  await Promise.all(
    disks.map((disk, i) => disk.write("one", JSON.stringify({ i, text: "x".repeat(100_000) }))),
  );
  expect(await files()).toHaveLength(1);
  expect(JSON.parse((await disks[0]?.read("one")) ?? "").text).toHaveLength(100_000);
});
