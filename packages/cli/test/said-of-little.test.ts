import { expect, test } from "vitest";
import { type Around, cli } from "./registry.ts";

const at = "2026-11-20T10:00:00.000Z";
const ada = { id: "usr_1", handle: "ada", name: "Ada", avatarUrl: null, url: "https://promptreg.test/ada" };

/** Runs a command where each path is answered so, and everything else is not found. */
const run = (answers: Record<string, unknown>, args: readonly string[], around: Around = {}) =>
  cli(args, {
    env: { PROMPTREG_URL: "https://promptreg.test", PROMPTREG_TOKEN: "prt_a-token-for-tests" },
    fetch: async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      const answer = answers[pathname.replace("/api/v1", "")];
      const headers = { "x-request-id": "req-12345678" };
      // As a registry answers a token that may write alone.
      if (answer === null) return new Response(null, { status: 204, headers });
      return answer === undefined
        ? Response.json({ error: { code: "not_found", message: "Not found." } }, { status: 404, headers })
        : Response.json(answer, { headers });
    },
    ...around,
  });
const page = (...items: object[]) => ({ items, nextCursor: null });

test("a prompt without labels, or without versions, has a note in words alone", async () => {
  const empty = { "/prompts/ada/x/labels": page(), "/prompts/ada/x/versions": page() };
  expect(await run(empty, ["label", "list", "ada/x"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "ada/x has no labels and no versions.\n",
  });
  const label = {
    name: "live",
    versionNumber: 2,
    reason: null,
    updatedAt: at,
    updatedBy: null,
    system: false,
  };
  expect(await run({ "/prompts/ada/x/labels": page(label) }, ["label", "list", "ada/x"])).toMatchObject({
    stdout: `live\t2\t${at}\t\n`,
    stderr: "",
  });
  expect(await run(empty, ["log", "ada/x"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "There are no versions.\n",
  });
  const { stdout, stderr } = await run(empty, ["log", "ada/x", "--json"]);
  expect([JSON.parse(stdout), stderr]).toEqual([{ items: [], hasMore: false }, ""]);
});

test("a label that never was cannot be followed", async () => {
  const none = { "/prompts/ada/x/labels/live/history": page() };
  expect(await run(none, ["label", "follow", "ada/x", "live"])).toMatchObject({
    exitCode: 4,
    stdout: "",
    stderr: "error: ada/x has no label live, and never had one.\n",
  });
});

const prompt = {
  ref: "ada/x",
  url: "https://promptreg.test/ada/x",
  owner: ada,
  slug: "x",
  kind: "text",
  title: "X",
  summary: null,
  tags: [],
  license: null,
  visibility: "private",
  rating: "general",
  status: "published",
  latestVersion: null,
  latest: null,
  labels: {},
  counts: { stars: 0, makes: 1, forks: 2 },
  forkedFrom: null,
  createdAt: at,
  updatedAt: at,
};
const file = { path: "PROMPT.md", mode: "100644", size: 1023, sha256: "00" };
const variable = { name: "a", type: "text", required: true, default: null };

test("show says of a prompt what it has: nothing, or files and variables each by its rules", async () => {
  const lines = async (one: object) => {
    const { stdout } = await run({ "/prompts/ada/x": one }, ["show", "ada/x"]);
    return stdout.split("\n");
  };
  expect(await lines({ ...prompt, status: "draft" })).toEqual([
    "ada/x  X",
    "",
    "address\thttps://promptreg.test/ada/x",
    "kind\ttext",
    "visibility\tprivate, a draft",
    "license\tnone: all rights reserved",
    "latest\tnone",
    "counts\t1 make, 2 forks",
    `updated\t${at}`,
    "",
  ]);
  const version = {
    n: 2,
    message: null,
    files: [
      file,
      { ...file, path: "a.sh", mode: "100755", size: 1024 },
      { ...file, path: "b", size: 1024 ** 2 },
    ],
    entry: "PROMPT.md",
    variables: [
      variable,
      { ...variable, name: "b", required: false },
      { ...variable, name: "c", default: "x", type: "enum", options: ["x", "y"] },
    ],
    config: {},
    tokenEstimate: 7,
    author: ada,
    createdAt: at,
    origin: { type: "commit" },
    yanked: null,
    labels: [],
  };
  const told = await lines({ ...prompt, latestVersion: 2, version });
  expect(told.slice(3)).toEqual([
    "kind\ttext, in PROMPT.md",
    "visibility\tprivate",
    "license\tnone: all rights reserved",
    "latest\t2",
    `shown\tversion 2 of ada, ${at}, about 7 tokens`,
    "counts\t1 make, 2 forks",
    `updated\t${at}`,
    "",
    "variables",
    "  a  text  required",
    "  b  text  optional",
    '  c  enum  default "x"  one of x, y',
    "",
    "files",
    "  PROMPT.md  1023 B",
    "  a.sh       1.0 KiB  executable",
    "  b          1.0 MiB",
    "",
  ]);
});

const move = {
  id: "lmv_1",
  name: "live",
  fromVersionNumber: null,
  toVersionNumber: null,
  reason: null,
  actor: null,
  at,
};

test("a move of nobody, from nowhere to nowhere, is told as such", async () => {
  const moves = { "/prompts/ada/x/labels/live/history": page(move) };
  expect((await run(moves, ["label", "history", "ada/x", "live"])).stdout).toBe(
    `${at}\tnone → none\ta deleted account\t\n`,
  );
  const blamed = (await run(moves, ["label", "blame", "ada/x", "live"])).stdout.split("\n");
  expect(blamed.filter((line) => !line.startsWith("since"))).toEqual([
    "live\twas removed",
    "by\ta deleted account",
    "reason\tnone",
    "before\tthe label did not exist",
    "",
  ]);
});

test("resolve tells what latest is, and that there is no ETag", async () => {
  const version = { n: 2, contentHash: "sha256:00", createdAt: at, author: ada, origin: { type: "commit" } };
  const found = { ...prompt, resolvedBy: { type: "latest", value: null }, yanked: true, version };
  const { stdout } = await run({ "/prompts/ada/x": found }, ["resolve", "ada/x"]);
  const lines = stdout.split("\n").filter((line) => !line.startsWith("made"));
  expect(lines).toEqual([
    "prompt\tada/x",
    "asked for\tlatest",
    "version\t2, which was yanked",
    "hash\tsha256:00",
    "etag\tnone",
    "",
  ]);
});

test("history says that there is more only if there is", async () => {
  const moves = (count: number) => ({
    "/prompts/ada/x/labels/live/history": page(
      ...Array.from({ length: count }, (_, nth) => ({ ...move, id: `lmv_${nth}` })),
    ),
  });
  for (const [count, hasMore] of [
    [1, false],
    [2, false],
    [3, true],
  ] as const) {
    const command = ["label", "history", "ada/x", "live", "--limit", "2"];
    const { items, ...rest } = JSON.parse((await run(moves(count), [...command, "--json"])).stdout);
    expect([items.length, rest]).toEqual([Math.min(count, 2), { hasMore }]);
    const { stderr } = await run(moves(count), command);
    expect(stderr).toBe(hasMore ? "There are older moves. --limit shows more of them.\n" : "");
  }
});

test("a fork that its token may not see is told by the address of its source", async () => {
  const answers = { "/prompts/ada/x/forks": null };
  const { exitCode, stdout, stderr } = await run(answers, ["fork", "ada/x"]);
  expect([exitCode, stdout, stderr]).toEqual([
    0,
    "ada/x is forked\n",
    "The token may not read, so the registry does not say where the fork is.\n",
  ]);
});

test("a ping that its token may not see is no check that passed", async () => {
  const id = `whk_${"0".repeat(26)}`;
  const webhook = { id, url: "https://receiver.test", status: "active" };
  const answers = { [`/webhooks/${id}`]: webhook, [`/webhooks/${id}/test`]: null };
  expect(await run(answers, ["webhook", "test", id])).toMatchObject({
    exitCode: 9,
    stdout: "",
    stderr: expect.stringContaining("error: The ping was sent, but this token may not read the result.\n"),
  });
});
