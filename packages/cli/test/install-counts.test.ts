import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, afterAll, expect, test } from "vitest";
import { startInstallScene } from "./installed.ts";

const scene = await startInstallScene();
afterAll(() => scene.registry.close());

/** What the registry was told of, and what it answered. */
let told: { body: Record<string, unknown>; status: number }[] = [];
type Fetch = typeof globalThis.fetch;
const isTelling = (input: Parameters<Fetch>[0]) => typeof input === "string" && input.endsWith("/installs");
const fetch: Fetch = async (input, init) => {
  const response = await scene.registry.fetch(input, init);
  if (isTelling(input) && typeof init?.body === "string")
    told.push({ body: JSON.parse(init.body), status: response.status });
  return response;
};

let config = "";
beforeEach(() => {
  told = [];
  config = scene.place();
});
const idFile = () => join(config, "promptreg/installation-id");

test("the registry is told what was installed for which tool, with a random id of this machine", async () => {
  await scene.create("counted", "Hello");
  const { run } = await scene.project();
  const env = { XDG_CONFIG_HOME: config };
  await run("install ada/counted --for claude --for cursor", { env, fetch });
  await run("install ada/counted --for cursor", { env: { ...env, DO_NOT_TRACK: "0" }, fetch });
  const installationId = (await readFile(idFile(), "utf8")).trim();
  expect(installationId).toMatch(/^[0-9a-f-]{36}$/);
  const body = { versionNumber: 1, client: expect.stringMatching(/^promptreg\/\d/), installationId };
  // Both tools are told of at once, and either response may be the first.
  const targetOf = (one: (typeof told)[number]) => String(one.body["target"]);
  expect(told.toSorted((a, b) => targetOf(a).localeCompare(targetOf(b)))).toEqual(
    ["claude", "cursor", "cursor"].map((target) => ({ body: { ...body, target }, status: 202 })),
  );
  expect((await stat(idFile())).mode & 0o777).toBe(0o600);
});

test.each([
  ["--no-record", {}],
  ["--for claude", { DO_NOT_TRACK: "1" }],
])("the registry is not told with %j and %j", async (option, variables) => {
  await scene.create(`untold-${option.length}`, "Hello");
  const { run } = await scene.project();
  const env = { XDG_CONFIG_HOME: config, ...variables };
  const { exitCode } = await run(`install ada/untold-${option.length} --for cursor ${option}`, {
    env,
    fetch,
  });
  expect({ exitCode, told }).toEqual({ exitCode: 0, told: [] });
  await expect(stat(idFile())).rejects.toThrow("ENOENT");
});

test("an install that cannot be counted is an install", { tags: "long" }, async () => {
  await scene.create("alone", "Hello");
  const { run } = await scene.project();
  const away: Fetch = (input, init) =>
    isTelling(input) ? Promise.reject(new Error("Away.")) : fetch(input, init);
  expect(await run("install ada/alone --for cursor", { fetch: away })).toMatchObject({
    exitCode: 0,
    stderr: "  create     .cursor/commands/alone.md\n",
  });
});
