import { createClient, type Webhook } from "@promptreg/client";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startReal } from "./real.ts";
import { startReceiver } from "./receiver.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
/** Where the webhook points, and where it is forwarded to. */
const remote = await startReceiver();
const local = await startReceiver();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
const address = { owner: "ada", slug: "reply" };
await client.prompts.create({
  body: { kind: "text", slug: "reply", title: "Reply", files: [{ path: "PROMPT.md", content: "Hello" }] },
});
await registry.deliver();
afterAll(async () => {
  await registry.close();
  await remote.close();
  await local.close();
});

let hook: Webhook;
let secret: string;
beforeEach(async () => {
  hook = await client.webhooks.create({ body: { url: remote.url } });
  secret = hook.secret ?? "";
});
afterEach(async () => {
  vi.useRealTimers();
  registry.heal();
  for await (const { id } of client.webhooks.list()) await client.webhooks.delete({ id });
  remote.reset();
  local.reset();
});

let count = 0;
const newLabel = () => `label-${(count += 1)}`;
async function move(reason?: string, name = newLabel()): Promise<void> {
  await client.prompts.labels.put({ ...address, name, body: { versionNumber: 1, reason } });
  await registry.deliver();
}
const asked = () =>
  registry.requests.filter(({ operation }) => operation === "webhooks.deliveries.list").length;

/** Begins to listen; `stop` is Ctrl-C, and gives what was seen of it. */
function listen(options: string[] = [], around: Around = {}) {
  const interrupt = new AbortController();
  const running = registry.cli(["webhook", "listen", "--forward-to", local.url, ...options], {
    env: { PROMPTREG_WEBHOOK_SECRET: secret },
    interrupt: interrupt.signal,
    ...around,
  });
  return {
    running,
    stop: () => {
      interrupt.abort();
      return running;
    },
  };
}

describe("webhook listen", () => {
  test("forwards what the webhook is sent, byte for byte, signed anew, and each once", async () => {
    await move("before");
    const before = asked();
    const { stop } = listen();
    await vi.waitUntil(() => asked() >= before + 2, { timeout: 50_000 });
    await move('Good "evals" \\ of today, 100 % 🎉 \u2028 \n\t');
    await client.webhooks.test({ id: hook.id });
    await registry.deliver();
    const events = await local.events(2, secret);
    expect(events.map(({ event }) => event)).toEqual(["prompt.label.moved", "ping"]);
    const [, ...sent] = remote.received;
    expect(local.received.map(({ body }) => body.toString())).toEqual(
      sent.map(({ body }) => body.toString()),
    );
    for (const [index, { headers }] of local.received.entries()) {
      for (const name of ["service-event", "service-delivery", "content-type", "user-agent"])
        expect(headers[name]).toBe(sent[index]?.headers[name]);
    }
    const { exitCode, stdout, stderr } = await stop();
    expect(stdout).toMatch(
      /^\S+Z {2}prompt\.label\.moved {2}ada\/reply {2}→ 200, \d+ ms\n\S+Z {2}ping {2}→ 200, \d+ ms\n$/,
    );
    expect(stderr).toContain(`Forwarding the events of ${hook.id} (${remote.url}) to ${local.url}.`);
    expect(stderr).toMatch(/^2 events forwarded\. --after dlv_\w+ continues from here\.$/m);
    expect(exitCode).toBe(130);
    expect(local.received).toHaveLength(2);
  });

  test("goes on where it stopped, or from a time", async () => {
    await move("one");
    await move("two");
    const begun = listen(["--since", "1h"]);
    await local.events(2, secret);
    const { stderr } = await begun.stop();
    const [, after = ""] = /--after (dlv_\w+)/.exec(stderr) ?? [];
    await move("three");
    const again = listen(["--after", after]);
    const events = await local.events(3, secret);
    await again.stop();
    expect(events.map(({ data }) => (data as { label: { reason: string } }).label.reason)).toEqual([
      "one",
      "two",
      "three",
    ]);
  });

  test("leaves out what was never sent, since its prompt turned private before", async () => {
    await move("one");
    await move("two");
    // As the registry shows such a delivery to others than the owner of the prompt.
    const withhold: typeof globalThis.fetch = async (...asked) => {
      const response = await fetch(...asked);
      const json = await response.json();
      for (const { payload } of json.items ?? [])
        if (payload?.data.label.reason === "one") delete payload.data;
      return new Response(JSON.stringify(json), { headers: response.headers });
    };
    const { stop } = listen(["--since", "1h"], { fetch: withhold });
    const [event] = await local.events(1, secret);
    expect(event?.data).toMatchObject({ label: { reason: "two" } });
    expect((await stop()).stderr).toContain("1 event forwarded.");
  });

  test("forwards the events that are wanted to where they are wanted", async () => {
    await move();
    await client.webhooks.test({ id: hook.id });
    await registry.deliver();
    const { port } = local;
    const options = [
      "--since",
      "1h",
      "--events",
      "ping",
      "--forward-to",
      `localhost:${port}/in?team=a&b=%20`,
    ];
    const { stop } = listen(options);
    expect(await local.events(1, secret)).toMatchObject([{ event: "ping" }]);
    expect(local.received[0]?.path).toBe("/in?team=a&b=%20");
    await stop();
    for (const target of ["ftp://localhost/in", "http://ada:secret@localhost/in", "localhost:port"])
      expect([target, (await listen(["--forward-to", target]).running).exitCode]).toEqual([target, 2]);
    const wrong = await listen(["--events", "pong"]).running;
    expect(wrong.stderr).toContain("Unknown event pong. Did you mean ping?");
  });

  test("shows the receiver's answer when it is not 2xx, and with --verbose always", async () => {
    await move();
    Object.assign(local.reply, { status: 302, text: "Not here\u001b[2J\n" });
    const refused = listen(["--since", "1h"]);
    await local.events(1, secret);
    const { stdout, stderr } = await refused.stop();
    expect(stdout).toMatch(/→ 302, \d+ ms\n {4}Not here\\x1b\[2J\n$/);
    expect(stderr).toContain("1 event forwarded, 1 of them without a 2xx answer.");
    expect(local.received.map(({ path }) => path)).toEqual(["/hook"]);
    Object.assign(local.reply, { status: 200, text: "thanks" });
    const verbose = listen(["--since", "1h", "--verbose"]);
    await local.events(2, secret);
    expect((await verbose.stop()).stdout).toMatch(/→ 200, \d+ ms\n {4}thanks\n$/);
  });

  test("repeats what the receiver refused, from where it says", async () => {
    await move("fine");
    const first = listen(["--since", "1h"]);
    await local.events(1, secret);
    const [, begun = ""] = /forwarded\. --after (dlv_\w+) continues/.exec((await first.stop()).stderr) ?? [];
    for (const reason of ["one", "two"]) await move(reason);
    Object.assign(local.reply, { status: 503 });
    const refused = listen(["--after", begun]);
    await local.events(3, secret);
    const { stderr } = await refused.stop();
    expect(stderr).toMatch(/--after (\w+) repeats from the first of those\. --after (?!\1)dlv_\w+ continues/);
    const [, after = ""] = /--after (\w+) repeats/.exec(stderr) ?? [];
    local.reset();
    const again = listen(["--after", after]);
    const events = await local.events(2, secret);
    await again.stop();
    const reasons = events.map(({ data }) => (data as { label: { reason: string } }).label.reason);
    expect(reasons).toEqual(["one", "two"]);
  });

  test("without a webhook prints the command that creates one", async () => {
    await client.webhooks.delete({ id: hook.id });
    const { stderr, exitCode } = await listen(["--events", "ping"]).running;
    expect(stderr).toContain("promptreg webhook create https://example.com/hook --events ping\n");
    expect(exitCode).toBe(2);
  });

  test("in JSON prints an object a line", async () => {
    await move();
    await client.webhooks.test({ id: hook.id });
    await registry.deliver();
    const { stop } = listen(["--since", "1h", "--json"]);
    await local.events(2, secret);
    const { stdout } = await stop();
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        deliveryId: expect.stringMatching(/^dlv_/),
        eventId: expect.stringMatching(/^evt_/),
        event: "prompt.label.moved",
        prompt: "ada/reply",
        createdAt: expect.any(String),
        redeliveryOf: null,
        status: 200,
        durationMs: expect.any(Number),
        excerpt: "",
        error: null,
      },
      expect.objectContaining({ event: "ping", prompt: null }),
    ]);
  });

  test("survives a receiver that is away", { tags: "long" }, async () => {
    await move();
    const gone = await startReceiver();
    await gone.close();
    const before = asked();
    const { stop } = listen(["--since", "1h", "--forward-to", gone.url, "--json"]);
    // It asks again once the first event has been tried.
    await vi.waitUntil(() => asked() >= before + 2, { timeout: 50_000 });
    const back = await startReceiver(gone.port);
    await move();
    await back.events(1, secret);
    const { stdout } = await stop();
    await back.close();
    const outcomes = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(outcomes).toMatchObject([
      { status: null, error: "ECONNREFUSED, no server listens there" },
      { status: 200 },
    ]);
  });

  test("survives a registry that is away, says so once, and loses nothing", { tags: "long" }, async () => {
    await move();
    const { stop } = listen(["--since", "1h"]);
    await local.events(1, secret);
    registry.fail({ status: 502, html: true }, { on: "webhooks.deliveries.list", times: 7 });
    await move();
    await local.events(2, secret);
    const { stderr } = await stop();
    expect(stderr.match(/Waiting for the registry/g)).toHaveLength(1);
    expect(stderr.match(/The registry is back\./g)).toHaveLength(1);
    expect(local.received).toHaveLength(2);
  });

  test("ends when the webhook is gone, and says where to go on", { tags: "long" }, async () => {
    await move();
    const { running } = listen(["--since", "1h"]);
    await local.events(1, secret);
    await client.webhooks.delete({ id: hook.id });
    const { exitCode, stderr } = await running;
    expect(stderr).toContain("1 event forwarded. --after dlv_");
    expect(exitCode).toBe(4);
  });

  test("says when the webhook is sent nothing more", { tags: "long" }, async () => {
    await client.webhooks.update({ id: hook.id, body: { active: false } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const before = asked();
    const { stop } = listen();
    await vi.waitUntil(() => asked() >= before + 2, { timeout: 50_000 });
    await client.webhooks.update({ id: hook.id, body: { active: true } });
    vi.setSystemTime(Date.now() + 61_000);
    const checks = registry.requests.length;
    await vi.waitUntil(
      () => registry.requests.slice(checks).some(({ operation }) => operation === "webhooks.get"),
      { timeout: 50_000 },
    );
    const { stderr } = await stop();
    expect(stderr).toContain(
      "The webhook is disabled, so it receives nothing. Enable it: `promptreg webhook update",
    );
    expect(stderr).toContain("The webhook is enabled again.");
    expect(stderr).toContain("0 events forwarded.");
  });

  test("asks before events leave this machine", async () => {
    const elsewhere = ["--forward-to", "https://example.com/hook"];
    expect((await listen(elsewhere).running).exitCode).toBe(2);
    const { asked, exitCode } = await listen(elsewhere, { answers: [false] }).running;
    expect(asked).toEqual([
      "example.com is not this machine. Forward events there? They may contain private data.",
    ]);
    expect(exitCode).toBe(130);
  });

  test("takes the secret from a file, standard input or whoever is asked, and never as an argument", async () => {
    await move();
    const given: [string[], Around][] = [
      [["--secret-file", "-"], { env: {}, stdin: `${secret}\n` }],
      [[], { env: {}, answers: [secret] }],
    ];
    for (const [index, [options, around]] of given.entries()) {
      const { stop } = listen(["--since", "1h", ...options], around);
      await local.events(index + 1, secret);
      await stop();
    }
    const none = await listen([], { env: {} }).running;
    expect(none.stderr).toContain("--secret-file");
    expect(none.exitCode).toBe(2);
    expect((await listen(["--secret", secret]).running).exitCode).toBe(2);
    const wrong = await listen([], { env: { PROMPTREG_WEBHOOK_SECRET: "mine" } }).running;
    expect(wrong).toMatchObject({
      exitCode: 6,
      stderr: "error: Write the whole secret, whsec_…, as it was shown at creation.\n",
    });
  });
});
