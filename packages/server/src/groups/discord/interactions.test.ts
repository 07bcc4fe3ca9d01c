import { generateKeyPairSync } from "node:crypto";
import { rateLimits } from "@promptreg/core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { bob, command, interact, signedBy } from "../../../test/discord.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, moveLabel, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { createRateLimiter } from "../../kernel/rate-limits/rate-limit.ts";
import { registered } from "./commands.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  await server.setClock("2030-01-01T00:00:00.000Z");
  alice = await server.join("alice");
  await publish(alice, "walrus", {
    title: "Feed the *walrus*",
    summary: "<@123> @everyone [x](https://evil.test)",
    files: filesOf("---\nvariables: false\n---\n# Walrus\n> for ||all||"),
    versions: 2,
  });
});
afterAll(() => server.stop());

const ping = { type: 1, id: "1", application_id: "100000000000000001", token: "t", version: 1 };
const run = async (name: string, options?: Record<string, string>, about?: Parameters<typeof command>[2]) => {
  const { status, json } = await interact(server, command(name, options, about));
  expect([status, json.type, json.data?.allowed_mentions]).toEqual([200, 4, { parse: [] }]);
  return json.data;
};

describe("what Discord sends", () => {
  test("is answered if it is signed: a ping by 1, even one with more fields", async () => {
    const { status, json } = await interact(server, { ...ping, more: { of: "it" } });
    expect([status, json]).toEqual([200, { type: 1 }]);
  });

  const body = JSON.stringify(ping);
  const signed = signedBy(body, { seconds: Date.parse("2030-01-01") / 1_000 });
  test.each([
    ["a changed byte", { body: body.replace('"t"', '"u"') }],
    ["a byte more", { body: `${body} ` }],
    ["another timestamp", { headers: { "x-signature-timestamp": "1893456001" } }],
    ["a timestamp that is none", { headers: { "x-signature-timestamp": "now" } }],
    ["a timestamp without end", { headers: { "x-signature-timestamp": "1".repeat(5_000) } }],
    ["another key", { key: generateKeyPairSync("ed25519").privateKey }],
    ["no signature", { headers: { "x-signature-ed25519": "" } }],
    ["a signature that is not hexadecimal", { headers: { "x-signature-ed25519": "zz".repeat(64) } }],
    [
      "a signature and more",
      { headers: { ...signed, "x-signature-ed25519": `${signed["x-signature-ed25519"]}zz` } },
    ],
    ["half a signature", { headers: { "x-signature-ed25519": "ab".repeat(32) } }],
    ["an old timestamp", { ageSeconds: 301 }],
    ["a timestamp to come", { ageSeconds: -301 }],
  ])("is 401 with %s", async (_, forged) => {
    expect(codeOf(await interact(server, body, forged))).toEqual([401, "invalid_signature"]);
  });

  test("is 401 without the headers, whatever else is wrong with it", async () => {
    const headers = { "content-type": "application/json" };
    for (const sent of ["", "{", "[".repeat(10_000), body]) {
      const answer = await server.anonymous("POST /discord/interactions", { body: sent, headers });
      expect(codeOf(answer)).toEqual([401, "invalid_signature"]);
    }
  });

  test.each([300, -300])("is still right %i seconds later", async (ageSeconds) => {
    expect((await interact(server, ping, { ageSeconds })).json).toEqual({ type: 1 });
  });

  test.each<[string, string | Uint8Array, number, string]>([
    ["no JSON", "{", 400, "invalid_json"],
    ["nothing", "", 400, "invalid_json"],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, "invalid_json"],
    ["a list", "[]", 422, "validation_failed"],
    ["a type that is none", '{"type":"2"}', 422, "validation_failed"],
    ["deep nesting", `{"type":1,"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, 422, "validation_failed"],
    ["a megabyte", JSON.stringify({ type: 1, x: "x".repeat(1024 * 1024) }), 413, "payload_too_large"],
  ])("is refused though signed, if it is %s", async (_, sent, status, code) => {
    expect(codeOf(await interact(server, sent))).toEqual([status, code]);
  });

  test.each<[string, object]>([
    ["a button", { ...command("search"), type: 3, data: { custom_id: "x", component_type: 2 } }],
    ["a wish for completion", { ...command("search", { q: "x" }), type: 4 }],
    ["a type of tomorrow", { type: 99 }],
    ["an unknown command", command("delete_everything")],
    ["a command of a prototype", command("constructor")],
    ["a command of nobody", { ...command("link"), member: undefined }],
    ["a command without data", { type: 2, id: "1" }],
    ["a command of somebody without a name", command("link", {}, { by: { id: "1", username: "" } })],
    [
      "a command of somebody whose number is none",
      command("link", {}, { by: { id: "1 or true", username: "x" } }),
    ],
    [
      "a command of somebody whose number ends as one",
      command("link", {}, { by: { id: "x1", username: "x" } }),
    ],
    [
      "a command of somebody whose number is too long",
      command("link", {}, { by: { id: "1".repeat(21), username: "x" } }),
    ],
    [
      "a command of somebody whose name is too long",
      command("link", {}, { by: { id: "1", username: "x".repeat(101) } }),
    ],
  ])("gets a private sentence for %s", async (_, sent) => {
    const { status, json } = await interact(server, sent);
    expect([status, json.type, json.data.flags, json.data.content]).toEqual([
      200,
      4,
      64,
      "This registry does not know this command.",
    ]);
  });

  test("changes no prototype", async () => {
    const sent = JSON.stringify(command("search", { q: "walrus" })).replace(
      "{",
      '{"__proto__":{"flags":64},',
    );
    const { json } = await interact(
      server,
      sent.replace('"name":"q"', '"__proto__":{"value":"x"},"name":"q"'),
    );
    expect(json.data.embeds[0].description).toContain("alice");
    expect(Object(ping).flags).toBeUndefined();
  });

  test("is refused with 503 by a server that is not set up for it", async () => {
    const key = server.context.discordKey;
    server.context.discordKey = null;
    try {
      expect(codeOf(await interact(server, ping))).toEqual([503, "discord_unavailable"]);
      expect((await alice.request("GET /me")).json.features.discord).toBe(false);
    } finally {
      server.context.discordKey = key;
    }
    expect((await alice.request("GET /me")).json.features.discord).toBe(true);
  });
});

describe("/search", () => {
  test("shows what everybody finds, in the channel, and nothing in it notifies or links", async () => {
    const { flags, content, embeds } = await run("search", { q: "walrus" });
    expect([flags, content]).toEqual([undefined, undefined]);
    expect(embeds).toEqual([
      {
        description: `**[Feed the \\*walrus\\*](${server.url}/alice/walrus)** alice\\/walrus\n\\<\\@123\\> \\@everyone \\[x\\]\\(https\\:\\/\\/evil\\.test\\)`,
      },
    ]);
  });

  test("shows nothing that is private, unlisted or mature, also to the person who made it", async () => {
    await publish(alice, "hidden-1", { title: "Pangolin", visibility: "private" });
    await publish(alice, "hidden-2", { title: "Pangolin", visibility: "unlisted" });
    await publish(alice, "hidden-3", { title: "Pangolin", rating: "mature" });
    const { flags, content } = await run("search", { q: "pangolin" });
    expect([flags, content]).toEqual([64, "Nothing public fits. Use fewer or other words."]);
  });

  test("takes what Discord lets people write", async () => {
    for (const q of ["", "x".repeat(201), "\0"])
      expect((await run("search", { q })).content).toMatch(/^Write the words to look for/);
    expect((await run("search")).content).toMatch(/^Write the words/);
    const data = { name: "search", options: [{ name: "q", type: 4, value: 5 }] };
    expect((await run("search", {}, { data })).content).toMatch(/^Write the words/);
    expect((await run("search", { q: "\ud800 & ? # %" })).content).toMatch(/^Nothing public fits/);
    expect((await run("search", { q: "walrus" }, { isDirect: true })).embeds).toHaveLength(1);
    const shortest = { by: { id: "1", username: "x" } };
    expect((await run("search", { q: "walrus" }, shortest)).embeds).toHaveLength(1);
  });

  test("keeps within what Discord takes, with the longest texts", async () => {
    const longest = { title: `Otter ${"*".repeat(114)}`, summary: "_".repeat(280) };
    for (let n = 1; n <= 6; n++) await publish(alice, `otter-${"x".repeat(56)}-${n}`, longest);
    const [{ description }] = (await run("search", { q: "otter" })).embeds;
    expect(description.match(/\]\(http/g)).toHaveLength(5);
    const [first] = description.split("\n\n");
    expect(first).toContain(`**[Otter ${"\\*".repeat(71)}…](`);
    expect(first.split("\n")[1]).toBe(`${"\\_".repeat(124)}…`);
    expect(description.length).toBeLessThanOrEqual(4_096);
    // And under a long address.
    const { publicUrl } = server.context;
    server.context.publicUrl = `https://${"x".repeat(400)}.example`;
    try {
      const [{ description: less }] = (await run("search", { q: "otter" })).embeds;
      expect([less.match(/\]\(http/g).length, less.length <= 4_096]).toEqual([4, true]);
    } finally {
      server.context.publicUrl = publicUrl;
    }
  });
});

describe("/prompt", () => {
  test("shows a prompt and how its text begins", async () => {
    expect(await run("prompt", { ref: " Alice/walrus@1 " })).toEqual({
      embeds: [
        {
          title: "Feed the \\*walrus\\*",
          url: `${server.url}/alice/walrus@1`,
          description: [
            "\\<\\@123\\> \\@everyone \\[x\\]\\(https\\:\\/\\/evil\\.test\\)",
            "\\# Walrus\n\\> for \\|\\|all\\|\\|",
            "alice\\/walrus\\@1 · text",
          ].join("\n\n"),
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  test("follows labels and former addresses", async () => {
    await publish(alice, "before", { versions: 2 });
    await moveLabel(alice, "before", "production", 1);
    await expectDone(alice, "PATCH /prompts/alice/before", { slug: "after" });
    const [{ url, description }] = (await run("prompt", { ref: "alice/before@production" })).embeds;
    expect([url, description]).toEqual([
      `${server.url}/alice/after@1`,
      expect.stringContaining("alice\\/after\\@1"),
    ]);
  });

  test("tells whoever asks alone what there is not, and nothing of what is hidden", async () => {
    await publish(alice, "secret", { visibility: "private" });
    await publish(alice, "gone");
    await alice.request("DELETE /prompts/alice/gone");
    await publish(alice, "yanked");
    await alice.request("POST /prompts/alice/yanked/versions/1/yank", { body: { reason: "Bad" } });
    for (const ref of [
      "alice/none",
      "nobody/none",
      "alice/secret",
      "alice/gone",
      "alice/yanked",
      "alice/walrus@9",
      "alice/walrus@nowhere",
    ])
      expect(await run("prompt", { ref })).toMatchObject({
        flags: 64,
        content: expect.stringMatching(/^There is no public prompt/),
      });
    for (const ref of ["", "walrus", "../me", "alice/walrus?label=x", "x".repeat(6_000)])
      expect(await run("prompt", { ref })).toMatchObject({
        flags: 64,
        content: expect.stringMatching(/^Write the address/),
      });
  });

  test("shows an unlisted prompt to whoever has its address, and of a mature one only where it is", async () => {
    await publish(alice, "unlisted", { visibility: "unlisted" });
    await publish(alice, "mature", { title: "Mature", rating: "mature" });
    expect(await run("prompt", { ref: "alice/unlisted" })).toMatchObject({ flags: 64, embeds: [{}] });
    const shown = await run("prompt", { ref: "alice/mature" });
    expect([shown.flags, shown.embeds, shown.content]).toEqual([
      64,
      undefined,
      `This prompt is rated mature, and is not shown here: <${server.url}/alice/mature>`,
    ]);
  });

  test("keeps within what Discord takes, with the longest texts", async () => {
    const files = filesOf("~".repeat(50_000));
    await publish(alice, "long", { title: "*".repeat(120), summary: "_".repeat(280), files });
    const [{ title, description }] = (await run("prompt", { ref: "alice/long" })).embeds;
    expect([title.length, description.length <= 4_096]).toEqual([240, true]);
    expect(description).toMatch(/~…\n\nalice/);
    expect(description.split("\n\n")[1].length).toBeLessThanOrEqual(2_000);
  });
});

describe("a database that does not answer", () => {
  test("leads to a private sentence, at once if it refuses", async () => {
    const { sql } = server.context;
    server.context.sql = (() => Promise.reject(new Error("gone"))) as never;
    const report = vi.spyOn(server.context.failures, "report").mockReturnValue();
    try {
      const { data } = (await interact(server, command("link"))).json;
      const searched = await interact(server, command("search", { q: "walrus" }));
      for (const one of [data, searched.json.data])
        expect(one).toMatchObject({
          flags: 64,
          content: expect.stringMatching(/^The registry is too slow now/),
        });
      // Whoever did not sign learns nothing of it.
      expect(codeOf(await interact(server, ping, { body: "{}" }))).toEqual([401, "invalid_signature"]);
      const about = { operation: "discord.interactions.receive", status: 200 };
      expect(report.mock.calls.map(([, reported]) => reported)).toEqual([about, about]);
    } finally {
      server.context.sql = sql;
      report.mockRestore();
    }
  });

  test("leads to one before Discord gives up", { tags: "long" }, async () => {
    const started = performance.now();
    const answer = await server.sql.begin(async (holder) => {
      await holder`lock table search_documents in access exclusive mode`;
      const answered = await interact(server, command("search", { q: "walrus" }));
      return { ...answered, ms: performance.now() - started };
    });
    expect(answer.json.data).toMatchObject({
      flags: 64,
      content: expect.stringMatching(/^The registry is too slow now/),
    });
    // Its own limit, 2.5 seconds, and not that of a statement, which is 8.
    expect(answer.ms).toBeLessThan(7_000);
  });
});

describe("limits", () => {
  afterEach(() => {
    server.context.limiter = null;
  });
  async function limit() {
    const limits = {
      ...rateLimits,
      anon: { ...rateLimits.anon, quota: 2 },
      auth: { ...rateLimits.auth, quota: 2 },
    };
    const limiter = createRateLimiter({ ...server.context, limits });
    await limiter.start();
    limiter.stop();
    server.context.limiter = limiter;
  }

  test("count whoever writes in Discord, and not the addresses that all of them share", async () => {
    await limit();
    for (let nth = 0; nth < 30; nth++) expect((await run("search", { q: "walrus" })).embeds).toHaveLength(1);
    expect(await run("search", { q: "walrus" })).toMatchObject({
      flags: 64,
      content: expect.stringMatching(/^These were many/),
    });
    expect((await run("search", { q: "walrus" }, { by: bob })).embeds).toHaveLength(1);
    expect((await interact(server, ping)).json).toEqual({ type: 1 });
  });

  test("never answer Discord's own wrong signatures with 429, and let nobody count as another by them", async () => {
    await limit();
    for (let nth = 0; nth < 40; nth++) {
      const forged = await interact(server, command("search", { q: "walrus" }), { body: "{}" });
      expect(codeOf(forged)).toEqual([401, "invalid_signature"]);
    }
    expect((await run("search", { q: "walrus" })).embeds).toHaveLength(1);
    // What others answer with 401 still counts.
    const statuses = [];
    for (let nth = 0; nth < 3; nth++)
      statuses.push((await server.anonymous("GET /me", { token: "prt_wrong" })).status);
    expect(statuses).toEqual([401, 401, 429]);
  });

  test("of its address hold for Discord too, before a signature is looked at", async () => {
    const limiter = createRateLimiter({
      ...server.context,
      limits: { ...rateLimits, ip: { ...rateLimits.ip, quota: 2 } },
    });
    await limiter.start();
    limiter.stop();
    server.context.limiter = limiter;
    const statuses = [];
    for (let nth = 0; nth < 3; nth++) statuses.push((await interact(server, ping, { body: "{}" })).status);
    expect(statuses).toEqual([401, 401, 429]);
  });
});

test("the commands fit what Discord takes", () => {
  for (const { type, name, description, options = [] } of registered) {
    // A command that is written, and what Discord asks of its texts.
    expect([type, ...options.map((option) => [option.type, option.required, option.max_length])]).toEqual([
      1,
      ...options.map(() => [3, true, 200]),
    ]);
    expect(name).toMatch(/^[-_a-z]{1,32}$/);
    for (const text of [description, ...options.map((option) => option.description)])
      expect(text).toMatch(/^.{1,100}$/);
  }
});
