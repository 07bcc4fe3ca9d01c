import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Around, cli, token, versionWith } from "./registry.ts";

/** Goes up, rewrites the line, forges another, turns what follows round and ends in a colour. */
const evil = "\u001b[1A\u001b[2K\r\nforged\u2028forged\u202e\u2066\u009b31m\u001b]0;forged\u0007\t";
const at = "2026-11-20T10:00:00.000Z";
const whk = `whk_${"0".repeat(26)}`;
const dlv = `dlv_${"0".repeat(26)}`;
const ada = { id: "usr_1", handle: "ada", name: "Ada", avatarUrl: null, url: "http://x" };
const file = { path: "PROMPT.md", mode: "100644", size: 5, sha256: "00", encoding: "utf8", content: "Hello" };
const version = {
  id: "ver_1",
  n: 3,
  message: "Say more",
  files: [file],
  entry: "PROMPT.md",
  contentHash: "sha256:00",
  variables: [
    { name: "who", type: "text", required: true, default: "you", description: "Whom", options: ["a"] },
  ],
  config: { other: "small" },
  tokenEstimate: 1,
  author: ada,
  createdAt: at,
  yanked: { at, reason: "Wrong", by: ada },
  labels: ["staging"],
};
const prompt = {
  ref: "ada/reply",
  url: "http://x/ada/reply",
  owner: ada,
  slug: "reply",
  kind: "text",
  title: "Reply",
  summary: "Writes",
  tags: ["mail"],
  license: "MIT",
  visibility: "public",
  rating: "general",
  status: "published",
  latestVersion: 3,
  latest: { n: 3, contentHash: "sha256:00" },
  labels: { staging: 2, other: 2 },
  counts: { stars: 1 },
  createdAt: at,
  updatedAt: at,
  version: { ...version, yanked: undefined },
  resolvedBy: { type: "label", value: "staging" },
  yanked: false,
};
const move = {
  id: "lmv_1",
  name: "staging",
  fromVersionNumber: 1,
  toVersionNumber: 2,
  reason: "Better",
  actor: ada,
  at,
};
const label = {
  name: "staging",
  versionNumber: 2,
  reason: "Better",
  updatedAt: at,
  updatedBy: ada,
  system: false,
};
const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [{ type: "add", text: "Hello" }] };
const diff = {
  from: { n: 2 },
  to: { n: 3 },
  stats: { files: 1, additions: 1, deletions: 0 },
  files: [{ path: "a.md", oldPath: "b.md", status: "renamed", additions: 1, deletions: 0, hunks: [hunk] }],
  variables: { added: ["who"], removed: ["me"], changed: [], breaking: true },
  config: { changed: ["model"] },
};
const attempt = { at, responseStatus: null, responseTimeMs: 3, error: "refused: no" };
const delivery = {
  id: dlv,
  webhookId: whk,
  event: "ping",
  eventId: "evt_1",
  status: "failed",
  redeliveryOf: "dlv_0",
  attempts: 1,
  maxAttempts: 8,
  createdAt: at,
  nextAttemptAt: at,
  responseExcerpt: "No",
  ...attempt,
  attemptLog: [attempt],
  payload: { data: "Hello" },
};
const webhook = {
  id: whk,
  url: "http://x",
  events: ["ping"],
  prompts: ["ada/reply"],
  description: "CI",
  secretHint: "abcd",
  status: "active",
  consecutiveFailures: 1,
  lastDeliveryAt: at,
  lastSuccessAt: at,
  createdAt: at,
};
const run = {
  id: "run_1",
  prompt: { ref: "ada/reply" },
  versionNumber: 3,
  model: "small",
  status: "completed",
  verdict: "fail",
  threshold: 0.8,
  externalId: "ci-1",
  summary: { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0, passRate: 0.5 },
};

/** What decides how an answer is read stays as it is; whatever else is text is hostile. */
const decisive = [
  "kind",
  "status",
  "visibility",
  "mode",
  "encoding",
  "type",
  "level",
  "verdict",
  "requestId",
];
const poison = (value: unknown): unknown =>
  typeof value === "string"
    ? value === at
      ? at
      : value + evil
    : Array.isArray(value)
      ? value.map(poison)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [
              key === "other" ? key + evil : key,
              decisive.includes(key) ? item : poison(item),
            ]),
          )
        : value;

/** The evil that passes for a colour of ours, in what is otherwise never text. */
const painted = (value: unknown): unknown =>
  typeof value === "number" || value === at || value === "text" || value === "public"
    ? `${value}\u001b[31m`
    : Array.isArray(value)
      ? value.map(painted)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, painted(item)]))
        : value;

const page = (item: unknown) => ({ items: [item], nextCursor: null });
const answers: [route: RegExp, answer: unknown][] = [
  [/^GET \/me$/, { ...ada, token: { name: "ci", scopes: ["read"], role: "user", expiresAt: at } }],
  [/^GET \/me\/watches/, page({ level: "all", watchedAt: at, prompt })],
  [/^GET \/webhooks$/, page(webhook)],
  [/^GET \/webhooks\/events/, page({ name: "ping", description: "When asked" })],
  [/^\w+ \/webhooks\/\w+$/, webhook],
  [/\/test$|\/redeliver$|\/deliveries\/\w+$/, delivery],
  [/\/deliveries$/, page(delivery)],
  [/^POST \/evals\/runs$/, { ...run, status: "running" }],
  [/^POST \/evals\/runs\/.*\/results/, {}],
  [/^PATCH \/evals\/runs\//, run],
  [/^GET \/prompts$/, page(prompt)],
  [/\/history$/, page(move)],
  [/\/labels$/, page(label)],
  [/\/labels\/\w+$/, label],
  [/\/versions$/, page(version)],
  [/\/versions\/\d+(\/\w+)?$/, { ...version, yanked: undefined }],
  [/\/diff\//, diff],
  [/\/watch$/, { watch: { level: "all", watchedAt: at } }],
  [/\/prompts\/[^/]+\/[^/]+$/, prompt],
];

/** A registry that says nothing without evil, or with `--refuse` refuses everything with it. */
const hostile =
  (isRefusing = false, spoil = poison): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const headers = { "x-request-id": "req-12345678" };
    const route = `${request.method} ${new URL(request.url).pathname.replace("/api/v1", "")}`;
    const details = [{ path: "/title", code: "odd", message: "Is it?" }];
    const error = { code: "validation_failed", message: "It is odd.", details, requestId: "req-12345678" };
    const found = isRefusing ? { error } : answers.find(([pattern]) => pattern.test(route))?.[1];
    if (found === undefined) throw new Error(`There is no answer to ${route}.`);
    if (request.method === "DELETE" && !/\/yank/.test(route))
      return new Response(null, { status: 204, headers });
    return Response.json(spoil(found), { status: isRefusing ? 422 : 200, headers });
  };

/** One that sends an evil text as it should. */
const sending: typeof fetch = async () =>
  Response.json((await versionWith(`Hello${evil}`)).json, { headers: { "x-request-id": "req-12345678" } });

const home = await mkdtemp(join(tmpdir(), "promptreg-hostile-"));
const results = join(home, "results.json");
const bad = { caseKey: `a${evil}`, status: "failed", error: `no${evil}` };
await writeFile(
  results,
  JSON.stringify({ model: "small", results: [bad, { caseKey: "b", status: "passed" }] }),
);
afterAll(() => rm(home, { recursive: true }));

const onTerminal = (args: string, around: Around = {}) =>
  cli(args.split(" "), {
    env: { PROMPTREG_URL: "http://registry.test", PROMPTREG_TOKEN: token, NO_COLOR: "1" },
    isTTY: true,
    columns: 500,
    fetch: hostile(),
    answers: [true],
    ...around,
  });

// A tab moves the cursor, but over nothing that was written.
const commands = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

describe("on a terminal", () => {
  test.each([
    "whoami",
    "show ada/reply",
    "list",
    "log ada/reply",
    "diff ada/reply 2..3",
    "yank ada/reply@3",
    "delete ada/reply",
    "watch --list",
    "resolve ada/reply@staging",
    "label list ada/reply",
    "label history ada/reply staging",
    "label blame ada/reply staging",
    "label move ada/reply staging 3",
    "label remove ada/reply staging",
    "webhook list",
    `webhook show ${whk}`,
    "webhook events",
    `webhook deliveries ${whk}`,
    `webhook delivery ${whk} ${dlv}`,
    `webhook redeliver ${whk} ${dlv}`,
    `webhook update ${whk} --enable`,
    `webhook rotate ${whk}`,
    `webhook delete ${whk}`,
    `eval report ${results} --prompt ada/reply@3`,
    "api prompts.get owner=ada slug=reply",
    "api prompts.list --paginate",
  ])("what others wrote commands nothing and forges no line: %s", async (args) => {
    const { stdout, stderr, asked, exitCode } = await onTerminal(args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: args.startsWith("eval") ? 8 : 0,
      stderr: expect.any(String),
    });
    for (const text of [stdout, stderr, ...asked]) {
      expect(text).not.toMatch(commands);
      // Where a text of many lines is shown, they stand apart from ours.
      expect(text).not.toMatch(/^forged/m);
    }
    expect(stdout + stderr + asked.join("")).toContain("forged");
  });

  test.each([
    "show ada/reply",
    "list",
    "log ada/reply",
    "diff ada/reply 2..3",
    "resolve ada/reply@staging",
    "label list ada/reply",
    "label history ada/reply staging",
    "label blame ada/reply staging",
  ])("what is no number, time or kind paints nothing: %s", async (args) => {
    const { stdout, stderr } = await onTerminal(args, { fetch: hostile(false, painted) });
    expect(stdout).toContain("\\x1b[31m");
    expect(stdout + stderr).not.toMatch(commands);
  });

  test("a prompt's text keeps its lines and commands nothing", async () => {
    expect((await onTerminal("cat ada/reply", { fetch: sending })).stdout).toBe(
      "Hello\\x1b[1A\\x1b[2K\\x0d\nforged\\u2028forged\\u202e\\u2066\\x9b31m\\x1b]0;forged\\x07\t",
    );
  });

  test.each(["whoami", "label move ada/reply staging 3", "whoami --debug"])(
    "an error is one line, and a line for each detail: %s",
    async (args) => {
      const { stderr } = await onTerminal(args, { fetch: hostile(true) });
      expect(stderr).not.toMatch(commands);
      expect(stderr).not.toMatch(/^forged/m);
      expect(stderr).toMatch(/^error: It is odd\..*forged.*\n {2}\/title.*forged.*\n/m);
    },
  );

  test("what a command forgot to clean is cleaned, and its colours stay", async () => {
    const { stdout } = await onTerminal("watch ada/reply", {
      env: { PROMPTREG_URL: "http://registry.test", FORCE_COLOR: "1" },
    });
    expect(stdout).toContain("\u001b[1mada/reply\u001b[22m");
  });
});

describe("in a pipe", () => {
  test("JSON says exactly what came", async () => {
    const { stdout } = await onTerminal("whoami --json", { isTTY: false });
    expect(stdout).not.toMatch(commands);
    expect(JSON.parse(stdout).handle).toBe(`ada${evil}`);
  });

  test("a prompt's text and its changes are what they are", async () => {
    expect((await onTerminal("cat ada/reply", { isTTY: false, fetch: sending })).stdout).toBe(`Hello${evil}`);
    expect((await onTerminal("diff ada/reply 2..3", { isTTY: false })).stdout).toContain(
      `+Hello${evil.replace("\n", "\\n")}\n`,
    );
  });

  test("no cell of a table forges a row or a column", async () => {
    const { stdout } = await onTerminal("log ada/reply", { isTTY: false });
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stdout.split("\t")).toHaveLength(5);
  });
});
