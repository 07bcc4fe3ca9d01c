import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { rateLimits } from "@promptreg/core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { createRateLimiter } from "../../kernel/rate-limits/rate-limit.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { until } from "../../../test/waiting.ts";
import { Turns } from "../../kernel/http/turns.ts";
import { addUpTags } from "../tags/tags.sql.ts";

const key = "a-key-that-nobody-reads-9f3";
let server: TestServer;
let alice: Person;
let answer: (request: IncomingMessage, response: ServerResponse, asked: any) => unknown;
const asked: { headers: IncomingMessage["headers"]; url: string | undefined; body: any; text: string }[] = [];
const lines: string[] = [];
let closed = 0;

const stub = createServer((request, response) => {
  const chunks: Buffer[] = [];
  response.on("close", () => void (closed += 1));
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    asked.push({ headers: request.headers, url: request.url, body: JSON.parse(text), text });
    void answer(request, response, JSON.parse(JSON.parse(text).messages[1].content));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
  const { port } = stub.address() as { port: number };
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  server = await startTestServer({
    suggestions: { model: { url, name: "small", key } },
    log: { write: (line) => void lines.push(line) },
  });
  alice = await server.join("alice");
});
afterAll(async () => {
  await server.stop();
  stub.closeAllConnections();
  stub.close();
});
afterEach(() => {
  asked.length = 0;
  vi.restoreAllMocks();
});

const json = (response: ServerResponse, value: unknown) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
/** A model that says this. */
const says = (content: unknown, more: object = {}) => {
  answer = (_, response) =>
    json(response, {
      choices: [{ message: { content: typeof content === "string" ? content : JSON.stringify(content) } }],
      ...more,
    });
};
const files = filesOf(
  "# Polite replies\n\nYou answer customers of a workshop that repairs clocks, in a polite way.\n",
);
const suggest = async (body: object = {}) => {
  const { status, json } = await alice.request("POST /ai/suggestions", {
    body: { kind: "text", files, fields: ["title", "summary", "tags"], ...body },
  });
  expect(status).toBe(200);
  return json;
};

describe("a model", () => {
  test("is asked for the fields, with the key, and the answer says that it made them", async () => {
    says(
      { title: "Reply politely", tags: ["Clock Repair", "support"], summary: "Answers\ncustomers." },
      { usage: { prompt_tokens: 12, completion_tokens: 3 } },
    );
    expect(await suggest()).toEqual({
      suggestions: {
        title: "Reply politely",
        summary: "Answers customers.",
        tags: ["clock-repair", "support"],
      },
      provider: "openai-compatible",
      model: "small",
      usage: { inputTokens: 12, outputTokens: 3 },
    });
    const [{ headers, url, body } = asked[0]!] = asked;
    expect([headers.authorization, headers.accept, headers["content-type"], url, body.model]).toEqual([
      `Bearer ${key}`,
      "application/json",
      "application/json",
      "/v1/chat/completions",
      "small",
    ]);
    expect(body.response_format).toEqual({ type: "json_object" });
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user"]);
  });

  test("is sent nothing of the account, and no more of a text than it needs", async () => {
    says({ title: "Long" });
    await suggest({ files: filesOf(`# Long\n\n${"An end is hard to find. ".repeat(9_000)}`) });
    expect(asked[0]!.text.length).toBeLessThan(30_000);
    expect(asked[0]!.text).not.toContain("alice");
  });

  test("that obeys the text gives text of the fields at most: no link, mark or other field gets through", async () => {
    says({
      title: "See https://evil.example/login",
      summary: "Click [here](//evil.example)",
      tags: ["<script>", "free-money"],
      slug: "../../admin",
      message: "line\u202eone",
      visibility: "public",
      fields: ["title"],
    });
    const { suggestions, provider } = await suggest({
      fields: ["title", "summary", "tags", "slug", "message"],
    });
    expect([suggestions, provider]).toEqual([{ tags: ["script", "free-money"] }, "openai-compatible"]);
  });

  test("a field that was not asked for is left out, and a slug is one that is free", async () => {
    await publish(alice, "reply", {});
    // Some models put it into a block of code.
    const usage = (prompt_tokens: number) => ({ usage: { prompt_tokens, completion_tokens: 0 } });
    says(`\`\`\`json\n${JSON.stringify({ title: "Reply", slug: "reply" })}\n\`\`\`\n`, usage(0));
    expect(await suggest({ fields: ["slug"] })).toMatchObject({
      suggestions: { slug: "reply-2" },
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    says({ title: "Use ``` or none" }, usage(-1));
    expect(await suggest({ fields: ["title"] })).toMatchObject({
      suggestions: { title: "Use ``` or none" },
      usage: null,
    });
  });

  test("is sent nothing of a prompt of others, or of a deleted one", async () => {
    const carol = await server.join("carol");
    await publish(carol, "open");
    await publish(carol, "hidden", { visibility: "private" });
    await publish(alice, "deleted");
    await alice.request("DELETE /prompts/alice/deleted");
    for (const [prompt, status] of [
      ["carol/open", 403],
      ["carol/hidden", 404],
      ["alice/deleted", 410],
    ] as const) {
      const refused = await alice.request("POST /ai/suggestions", { body: { prompt, fields: ["title"] } });
      expect([prompt, refused.status, asked.length]).toEqual([prompt, status, 0]);
    }
  });

  test("gets no text that looks like it has a secret", async () => {
    says({ title: "Never asked", message: "Never asked" });
    const secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    await publish(alice, "leaky", { visibility: "private", files: filesOf(`# Deploy\n\nUse ${secret}.\n`) });
    for (const described of [
      ...[
        `Use the token ${secret} to deploy.`,
        `${secret}\nis the token.`,
        `The token is\t${secret}`,
        // It is found where the text that is sent would end in the middle of it.
        `${"Deploy it all. ".repeat(1_065)}${secret}`,
      ].map((text) => ({ files: filesOf(`# Deploy\n\n${text}\n`) })),
      { files: [...files, { path: `keys/${secret}.txt`, content: "The token" }] },
      { prompt: "alice/leaky", kind: undefined, fields: ["message"] },
    ]) {
      const { provider, suggestions } = await suggest({
        fields: ["title", "summary", "tags", "slug"],
        ...described,
      });
      expect([provider, asked.length]).toEqual(["heuristic", 0]);
      expect(JSON.stringify(suggestions).toLowerCase()).not.toContain("16c7e42f");
    }
  });

  test.each([
    "evil.example/login",
    "https:/\\evil.example",
    "//evil.example",
    "https：／／evil.example",
    "h\u200bttps:\u200b//evil.example",
    "w\u00adww.evil.example",
    "Hi <a href=x>",
    "Hi\u{e0041}",
  ])("%j leads somewhere, and is no title", async (title) => {
    says({ title, tags: ["fine"] });
    expect(await suggest()).toMatchObject({ suggestions: { tags: ["fine"] } });
    expect((await suggest()).suggestions).not.toHaveProperty("title");
  });

  test.each(["Use node.js and the like", "Answers e.g. in 5–10 s: yes/no", "家族 👨‍👩‍👧 letters"])(
    "%j leads nowhere, and is a title",
    async (title) => {
      says({ title });
      expect((await suggest()).suggestions.title).toBe(title);
    },
  );

  test.each<[string, typeof answer]>([
    ["refuses", (_, response) => response.writeHead(401).end(`{"error":"bad key ${key}"}`)],
    ["is broken", (_, response) => response.writeHead(500).end("oops")],
    ["answers no JSON", (_, response) => response.writeHead(200).end("<html>")],
    ["answers nothing", (_, response) => json(response, { choices: [] })],
    [
      "says a sentence",
      (_, response) => json(response, { choices: [{ message: { content: "I cannot." } }] }),
    ],
    ["says null", (_, response) => json(response, { choices: [{ message: { content: "null" } }] })],
    [
      "says other types",
      (_, response) =>
        json(response, { choices: [{ message: { content: '{"title":{"a":1},"tags":"x","summary":[]}' } }] }),
    ],
    [
      "says too much",
      (_, response) =>
        json(response, { choices: [{ message: { content: JSON.stringify({ title: "a".repeat(500) }) } }] }),
    ],
    [
      "says more than 64 KiB",
      (_, response) =>
        json(response, {
          choices: [{ message: { content: '{"title":"Long"}' } }],
          padding: " ".repeat(64 * 1024),
        }),
    ],
    ["hangs up", (request) => request.socket.destroy()],
    ["leads elsewhere", (_, response) => response.writeHead(307, { location: "/v2" }).end()],
    [
      "never stops",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => response.destroyed || response.write(" ".repeat(65_536), () => setImmediate(more));
        more();
      },
    ],
  ])("that %s is replaced by the rules, and the answer says so", async (_, how) => {
    answer = how;
    const { suggestions, provider, model, usage } = await suggest();
    expect([provider, model, usage, suggestions.title]).toEqual(["heuristic", null, null, "Polite replies"]);
    expect(asked).toHaveLength(1);
    expect(lines.join("\n")).not.toContain(key);
  });

  test.each<[string, typeof answer]>([
    ["answered 418", (_, response) => response.writeHead(418).end("a teapot")],
    ["answered no JSON", (_, response) => response.writeHead(200).end("<html>")],
    ["answered more than 64 KiB", (_, response) => response.writeHead(200).end(" ".repeat(65_537))],
    ["answered none of the fields", (_, response) => json(response, { choices: [] })],
    [
      "answered none of the fields",
      (_, response) => json(response, { choices: [{ message: { content: '{"title":""}' } }] }),
    ],
  ])("that fails is for the operator to hear of, without what it said: it %s", async (what, how) => {
    const reported = vi.spyOn(server.context.failures, "report");
    answer = how;
    await suggest();
    expect(reported.mock.calls.map(([error, context]) => [String(error), context])).toEqual([
      [
        `Error: The model of SUGGESTIONS_URL ${what}. The server's own rules made the suggestions.`,
        { operation: "suggestions.create" },
      ],
    ]);
  });

  test("is sent what changed if it is to say that, and what it is to choose from", async () => {
    says({ title: "Changed", message: "Change it" });
    await publish(alice, "changing", { files: filesOf("Keep\nOld\n") });
    const about = { kind: undefined, prompt: "alice/changing" };
    const more = Array.from({ length: 21 }, (_, nth) => ({ path: `more/${10 + nth}.md`, content: "x" }));
    await suggest({ ...about, files: [...filesOf("Keep\nNew\n"), ...more], fields: ["message"] });
    await suggest({ ...about, files: filesOf("Keep\nNew\n"), fields: ["title"] });
    const [whole, short] = asked.map(({ body }) => JSON.parse(body.messages[1].content));
    expect(whole).toMatchObject({
      fields: ["message"],
      path: "PROMPT.md",
      text: "Keep\nNew\n",
      knownTags: [],
      added: "New",
      removed: "Old",
    });
    expect(whole.otherFiles).toEqual(more.slice(0, 20).map(({ path }) => path));
    expect([short.otherFiles, "added" in short]).toEqual([[], false]);
  });

  test("is told the tags that public prompts have of those that the text names", async () => {
    says({ title: "Tagged" });
    await publish(alice, "tagged", { tags: ["clocks"] });
    await addUpTags(server.sql);
    await suggest();
    expect(JSON.parse(asked[0]?.body.messages[1].content).knownTags).toEqual(["clocks"]);
  });

  test("is asked once by a request that is repeated with its key", async () => {
    says({ title: "Said once" });
    const ask = (key: string) =>
      alice.request("POST /ai/suggestions", {
        headers: { "idempotency-key": key },
        body: { kind: "text", files, fields: ["title"] },
      });
    const [first, second] = [await ask("k-1"), await ask("k-1")];
    expect([second.status, second.json]).toEqual([200, first.json]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(asked).toHaveLength(1);
    await ask("k-2");
    expect(asked).toHaveLength(2);
  });

  test("is not asked by who has used up their day", async () => {
    says({ title: "Once" });
    const limits = { ...rateLimits, ai: { ...rateLimits.ai, quota: 1 } };
    const limiter = createRateLimiter({ ...server.context, limits });
    await limiter.start();
    server.context.limiter = limiter;
    const bob = await server.join("bob");
    const ask = () =>
      bob.request("POST /ai/suggestions", { body: { kind: "text", files, fields: ["title"] } });
    const answers = [await ask(), await ask()];
    limiter.stop();
    server.context.limiter = null;
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect(answers[1]?.headers.get("ratelimit-policy")).toBe('"ai";q=1;w=86400');
    expect(asked).toHaveLength(1);
  });

  test("that is slow holds no connection of the database and no turn, and is left when the client goes", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    answer = async (_, response) => {
      await go;
      json(response, { choices: [{ message: { content: '{"title":"Late"}' } }] });
    };
    const reported = vi.spyOn(server.context.failures, "report");
    const stop = new AbortController();
    const before = closed;
    const gone = fetch(`${server.url}/api/v1/ai/suggestions`, {
      method: "POST",
      signal: stop.signal,
      headers: { authorization: `Bearer ${alice.token}`, "content-type": "application/json" },
      body: JSON.stringify({ kind: "text", files, fields: ["title"] }),
    });
    const { turns } = server.context;
    server.context.turns = new Turns(1);
    const slow = [1, 2, 3].map(() => suggest({ fields: ["title"] }));
    await until(() => asked.length === 4);
    const [{ open } = { open: -1 }] = await server.sql<{ open: number }[]>`
      select count(*)::int as open from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`;
    expect(open).toBe(0);
    // As many as may ask at once do: who comes now does not wait.
    expect((await suggest()).provider).toBe("heuristic");
    stop.abort();
    await expect(gone).rejects.toThrow(/abort/);
    await until(() => closed > before);
    server.context.turns = turns;
    resolve();
    expect((await Promise.all(slow)).map(({ suggestions }) => suggestions.title)).toEqual([
      "Late",
      "Late",
      "Late",
    ]);
    expect(reported.mock.calls).toEqual([]);
  });
});
