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

const run1 = {
  id: `run_${"0".repeat(26)}`,
  prompt: { ref: "ada/x" },
  versionNumber: 2,
  model: "m",
  dataset: null,
  status: "completed",
  verdict: null,
  pinned: false,
  threshold: 0.8,
  error: null,
  source: null,
  createdAt: at,
  createdBy: null,
  summary: {
    total: 0,
    passed: 0,
    failed: 0,
    errored: 0,
    skipped: 0,
    cases: null,
    passRate: null,
    score: null,
    latencyMsP50: null,
    latencyMsP95: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
  },
};

test("eval show leaves out what a run does not have, and sums no tokens that are not there", async () => {
  const shown = async (summary: object) => {
    const one = { ...run1, summary: { ...run1.summary, ...summary } };
    const { stdout, stderr } = await run({ [`/evals/runs/${run1.id}`]: one }, ["eval", "show", run1.id]);
    expect(stderr).toBe("");
    return stdout
      .split("\n")
      .filter((line) => /^(dataset|verdict|results|latency|tokens|cost|made)\t/.test(line));
  };
  expect(await shown({})).toEqual(["dataset\tnone", "verdict\tnone", "results\tnone", `made\t${at}`]);
  const some = {
    passed: 1,
    skipped: 2,
    latencyMsP50: 5,
    inputTokens: 3,
    outputTokens: 3,
    costUsd: 0.0000012,
  };
  expect(await shown(some)).toEqual([
    "dataset\tnone",
    "verdict\tnone",
    "results\t1 passed, 2 skipped",
    "latency\t5 ms median, none at most in 95 of 100",
    "tokens\t3 in, 3 out",
    "cost\t0.000001 USD",
    `made\t${at}`,
  ]);
  expect((await shown({ outputTokens: 2 })).find((line) => line.startsWith("tokens"))).toBe(
    "tokens\t0 in, 2 out",
  );
});

test("comments tell how many replies are left, and votes only where there are some", async () => {
  const comment = {
    id: "cmt_1",
    author: null,
    createdAt: at,
    editedAt: null,
    status: "visible",
    votes: { up: 0, down: 0 },
    body: "Hi",
    parentId: null,
    replies: [],
    replyCount: 0,
  };
  const reply = { ...comment, id: "cmt_2", body: "So", votes: { up: 2, down: 2 } };
  const told = async (one: object, locked = false) => {
    const comments = { "/comments": { ...page(one), locked } };
    return run(comments, ["comment", "list", "ada/x"]);
  };
  expect(await told(comment)).toMatchObject({ stdout: `deleted  cmt_1  ${at}\n  Hi\n`, stderr: "" });
  expect(await told({ ...comment, replies: [reply], replyCount: 1 }, true)).toMatchObject({
    stdout: `deleted  cmt_1  ${at}\n  Hi\n\n    deleted  cmt_2  ${at}  +2 −2\n      So\n`,
    stderr: "Comments are locked: only moderators can write more.\n",
  });
  expect((await told({ ...comment, replies: [reply], replyCount: 3 })).stdout).toMatch(
    /\n {4}2 more: --thread cmt_1\n$/,
  );
});

test("a tree that ends early says so, in words alone", async () => {
  const node = { id: "a", ref: "ada/x", title: "X" };
  const tree = { root: "a", nodes: [node], edges: [] };
  const drawn = (truncated: boolean, ...options: string[]) =>
    run({ "/makes/family-tree": { ...tree, truncated } }, ["make", "tree", "ada/x", ...options]);
  const note = "There is more than this: the tree ends at 500.\n";
  expect(await drawn(true)).toMatchObject({ stdout: "ada/x  X\n", stderr: note });
  expect((await drawn(false)).stderr).toBe("");
  expect((await drawn(true, "--json")).stderr).toBe("");
});
