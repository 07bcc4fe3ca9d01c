import { createClient, type Webhook } from "@promptreg/client";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startReal } from "./real.ts";
import { startReceiver } from "./receiver.ts";

const registry = await startReal();
const receiver = await startReceiver();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
await client.prompts.create({
  body: { kind: "text", slug: "reply", title: "Reply", files: [{ path: "PROMPT.md", content: "Hello" }] },
});
await registry.deliver();
afterAll(async () => {
  await registry.close();
  await receiver.close();
});

let hook: Webhook;
beforeEach(async () => {
  hook = await client.webhooks.create({ body: { url: receiver.url, events: ["prompt.label.moved"] } });
});
afterEach(async () => {
  for await (const { id } of client.webhooks.list()) await client.webhooks.delete({ id });
  receiver.reset();
});

/** Runs `promptreg webhook …`. */
const webhook = (command: string, around?: Parameters<typeof registry.cli>[1]) =>
  registry.cli(["webhook", ...command.split(" ")], around);
const json = async (command: string) => JSON.parse((await webhook(`${command} --json`)).stdout);
const move = (name: string) =>
  client.prompts.labels.put({ owner: "ada", slug: "reply", name, body: { versionNumber: 1 } });
/** Moves labels, and lets the receiver answer with a status. */
async function sendWith(status: number, ...labels: string[]): Promise<void> {
  receiver.reply.status = status;
  for (const label of labels) await move(label);
  await registry.deliver();
}
let count = 0;
const newLabel = () => `label-${(count += 1)}`;

describe("webhook create", () => {
  test("prints the secret once, and says to keep it", async () => {
    const { exitCode, stdout, stderr } = await webhook(
      `create ${receiver.url} --events prompt.label.moved,prompt.published --prompt ada/reply --description tests --json`,
    );
    const created = JSON.parse(stdout) as Webhook;
    expect(created).toMatchObject({
      url: receiver.url,
      events: ["prompt.label.moved", "prompt.published"],
      prompts: ["ada/reply"],
      description: "tests",
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(stderr).toBe("Store the secret where your receiver reads it. It is not shown again.\n");
    expect(exitCode).toBe(0);
    expect((await webhook(`show ${created.id}`)).stdout).not.toContain(created.secret);
  });

  test("can begin disabled, with all events", async () => {
    expect(await json(`create ${receiver.url} --disabled`)).toMatchObject({ active: false, events: null });
  });

  test("says which event was meant", async () => {
    const { exitCode, stderr } = await webhook(`create ${receiver.url} --events prompt.label.move`);
    expect(stderr).toContain("Unknown event prompt.label.move. Did you mean prompt.label.moved?");
    expect(exitCode).toBe(2);
    expect((await webhook(`create ${receiver.url} --events prompt.published,`)).stderr).toContain(
      "Write event names, separated by commas, or all.",
    );
  });
});

describe("webhook list and show", () => {
  test("tell whether it works", async () => {
    await sendWith(500, newLabel());
    const { stdout } = await webhook("list");
    expect(stdout).toBe(
      `${[hook.id, receiver.url, "prompt.label.moved", "active, 1 failed in a row", "never"].join("\t")}\n`,
    );
    await webhook(`update ${hook.id} --disable`);
    expect((await webhook("show")).stdout).toMatch(/^state\tdisabled$/m);
  });

  test("show the only webhook, and ask which of several", async () => {
    const other = await client.webhooks.create({ body: { url: receiver.url } });
    const { exitCode, stderr } = await webhook("show");
    expect(stderr).toContain(`Name a webhook: ${other.id} to ${receiver.url}, ${hook.id} to`);
    expect(exitCode).toBe(2);
    await client.webhooks.delete({ id: other.id });
    expect(await json("show")).toMatchObject({ id: hook.id });
  });

  test("say how to begin where there is none", async () => {
    await client.webhooks.delete({ id: hook.id });
    expect((await webhook("list")).stdout).toBe("No webhooks.\n");
    expect((await webhook("show")).stderr).toContain("promptreg webhook create https://example.com/hook");
  });
});

describe("webhook update", () => {
  test("changes what is named, and nothing else", async () => {
    const { stdout } = await webhook(`update ${hook.id} --to ${receiver.url}?b=1 --prompt ada/reply`);
    expect(stdout).toContain("b=1");
    expect(await json("show")).toMatchObject({ events: ["prompt.label.moved"], prompts: ["ada/reply"] });
    expect(await json(`update ${hook.id} --events all --prompt all`)).toMatchObject({
      events: null,
      prompts: null,
      url: `${receiver.url}?b=1`,
    });
  });

  test("disables and enables, and not both", async () => {
    expect(await json(`update ${hook.id} --disable`)).toMatchObject({ active: false });
    expect(await json(`update ${hook.id} --enable`)).toMatchObject({ active: true });
    expect((await webhook(`update ${hook.id} --enable --disable`)).exitCode).toBe(2);
  });

  test("that changes nothing says what could change", async () => {
    expect(await webhook(`update ${hook.id}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Name what to change"),
    });
  });
});

describe("webhook rotate", () => {
  test("asks, and prints the new secret with what becomes of the former one", async () => {
    const { stdout, stderr, asked } = await webhook(`rotate ${hook.id} --json`, { answers: [true] });
    const { secret } = JSON.parse(stdout) as Webhook;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(hook.secret);
    expect(asked).toEqual([
      `Replace the secret of ${hook.id} (${receiver.url})? The current secret stops working at once.`,
    ]);
    expect(stderr).toContain("The old secret is no longer used.");
  });
});

describe("webhook delete", () => {
  test("asks first, and keeps what was not meant", async () => {
    const refused = await webhook(`delete ${hook.id}`, { answers: [false] });
    expect(refused).toMatchObject({ exitCode: 130, stderr: "error: Nothing was changed.\n" });
    expect((await webhook(`delete ${hook.id}`)).exitCode).toBe(2);
    expect(await json(`delete ${hook.id} --yes`)).toMatchObject({ deleted: { id: hook.id } });
    expect((await webhook(`show ${hook.id}`)).exitCode).toBe(4);
  });
});

test("webhook events says of each what it tells", async () => {
  const { stdout } = await webhook("events");
  expect(stdout).toContain("prompt.label.moved\tA label was created or moved to another version.\n");
});

describe("webhook test", () => {
  async function ping() {
    const asked = registry.requests.length;
    const running = webhook("test");
    const isQueued = ({ operation, status }: (typeof registry.requests)[number]) =>
      operation === "webhooks.test" && status === 202;
    await vi.waitUntil(() => registry.requests.slice(asked).some(isQueued), { timeout: 50_000 });
    await registry.deliver();
    return running;
  }

  test("shows what the receiver answers", async () => {
    const { exitCode, stdout } = await ping();
    expect(stdout).toMatch(new RegExp(`^ping → ${receiver.url}: 200, \\d+ ms\n$`));
    expect(exitCode).toBe(0);
  });

  test("exits with 9 when that is not 2xx, and shows the start of it", async () => {
    Object.assign(receiver.reply, { status: 500, text: "Oh no\u001b[2J" });
    const { exitCode, stdout } = await ping();
    expect(stdout).toMatch(/: 500, \d+ ms\n {4}Oh no\\x1b\[2J\n$/);
    expect(exitCode).toBe(9);
  });
});

describe("the delivery log", () => {
  test("is a table, newest first, which can be narrowed", async () => {
    await sendWith(200, newLabel());
    await sendWith(503, newLabel(), newLabel());
    const { stdout } = await webhook("deliveries");
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([, event, status, attempts, answer]) => [event, status, attempts, answer])).toEqual([
      ["prompt.label.moved", "pending", "1/8", "503"],
      ["prompt.label.moved", "pending", "1/8", "503"],
      ["prompt.label.moved", "succeeded", "1/8", "200"],
    ]);
    const [, , oldest = ""] = rows.map((row) => row.at(-1));
    const idsOf = async (options: string) =>
      (await json(`deliveries ${hook.id} ${options}`)).items.map(({ id }: { id: string }) => id);
    expect(await idsOf("--status succeeded")).toEqual([oldest]);
    expect(await idsOf("--limit 1")).toEqual([rows[0]?.at(-1)]);
    await vi.waitFor(async () => expect(await idsOf(`--after ${oldest}`)).toHaveLength(2));
    expect((await webhook("deliveries --event ping")).stdout).toBe("No deliveries.\n");
    expect((await webhook("deliveries --event pong")).stderr).toContain("Did you mean ping?");
  });

  test("shows all of a delivery", async () => {
    receiver.reply.text = "busy\u0007";
    await sendWith(503, newLabel());
    const [{ id, eventId }] = (await json("deliveries")).items;
    const { stdout } = await webhook(`delivery ${hook.id} ${id}`);
    expect(stdout).toContain(`event\tprompt.label.moved (${eventId})`);
    expect(stdout).toMatch(/^attempts \(1 of 8\)\n {4}\S+Z {2}503, \d+ ms\n/m);
    expect(stdout).toContain("answer to the last one\n    busy\\x07\nsent\n    {\n");
    expect(stdout).toContain('          "ref": "ada/reply",');
  });

  test("can be sent again", async () => {
    await sendWith(500, newLabel(), newLabel());
    const [second, first] = (await json("deliveries")).items.map(({ id }: { id: string }) => id);
    receiver.reset();
    const { stdout } = await webhook(`redeliver ${hook.id} ${first} ${second}`);
    expect(stdout).toMatch(
      new RegExp(`^${first} \\(prompt.label.moved\\) is sent again as dlv_\\w+\n${second} .*\n$`),
    );
    await registry.deliver();
    expect(await receiver.events(2, hook.secret ?? "")).toHaveLength(2);
  });

  test("tells of what was sent again before one could not be", async () => {
    await sendWith(500, newLabel());
    const [{ id }] = (await json("deliveries")).items;
    const { exitCode, stdout } = await webhook(`redeliver ${hook.id} ${id} dlv_${"0".repeat(26)}`);
    expect(stdout).toContain(`${id} (prompt.label.moved) is sent again as dlv_`);
    expect(exitCode).toBe(4);
    expect((await webhook(`redeliver ${hook.id} evt_1`)).exitCode).toBe(2);
    const stopped = await webhook(`redeliver ${hook.id} ${id}`, { interrupt: AbortSignal.abort() });
    expect([stopped.exitCode, stopped.stderr]).toEqual([130, expect.stringContaining("0 of 1 event")]);
  });
});

describe("webhook catch-up", () => {
  const since = "2026-01-01";

  test("sends again what was missed, and finds nothing to do the next time", async () => {
    await sendWith(200, newLabel());
    await sendWith(500, newLabel());
    // What waits for its next attempt is cancelled with the webhook.
    await webhook(`update ${hook.id} --disable`);
    await webhook(`update ${hook.id} --enable`);
    await sendWith(500, newLabel());
    receiver.reset();
    const { stdout, asked } = await webhook(`catch-up --since ${since}`, { answers: [true] });
    expect(asked).toEqual([`Send 2 events again to ${receiver.url}, failed since 2026-01-01T00:00:00.000Z?`]);
    expect(stdout).toBe(`2 of 2 events sent again to ${receiver.url}.\n`);
    // Even before they came.
    expect(await webhook(`catch-up --since ${since}`)).toMatchObject({
      exitCode: 0,
      stdout: "Nothing failed since 2026-01-01T00:00:00.000Z.\n",
    });
    await registry.deliver();
    expect(await receiver.events(2, hook.secret ?? "")).toHaveLength(2);
    expect(await json(`catch-up --since ${since}`)).toMatchObject({ missed: 0, items: [] });
  });

  test("leaves alone what is older than that, and pings", async () => {
    await sendWith(500, newLabel());
    await client.webhooks.test({ id: hook.id });
    await registry.deliver();
    await webhook(`update ${hook.id} --disable`);
    await webhook(`update ${hook.id} --enable`);
    const [, { createdAt }] = (await json("deliveries")).items;
    const later = new Date(Date.parse(createdAt) + 1).toISOString();
    expect(await json(`catch-up --since ${later}`)).toMatchObject({ missed: 0 });
    expect(await json(`catch-up --since ${createdAt} --yes`)).toMatchObject({ missed: 1 });
  });

  test("of a disabled webhook says how to enable it", async () => {
    await webhook(`update ${hook.id} --disable`);
    const { exitCode, stdout, stderr } = await webhook("catch-up --since 1h --yes");
    expect(stderr).toBe(
      `error: The webhook is disabled. Enable it first: \`promptreg webhook update ${hook.id} --enable\`.\n`,
    );
    expect([exitCode, stdout]).toEqual([5, ""]);
  });

  test("asks, and without a terminal wants --yes", async () => {
    await sendWith(500, newLabel());
    expect((await webhook("catch-up --since 1h")).exitCode).toBe(2);
    expect((await webhook("catch-up --since 1h", { answers: [false] })).exitCode).toBe(130);
    expect((await webhook("catch-up --since yesterday")).stderr).toContain("or an age: 90s, 15m, 2h, 3d");
  });

  test("that is stopped says how far it came, and goes on with the rest", async () => {
    await sendWith(500, newLabel(), newLabel(), newLabel());
    const interrupt = new AbortController();
    const before = registry.requests.length;
    const fetchUntilFirst: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (registry.requests.slice(before).at(-1)?.operation === "webhooks.deliveries.redeliver")
        interrupt.abort();
      return response;
    };
    const stopped = await webhook(`catch-up --since ${since} --yes`, {
      interrupt: interrupt.signal,
      fetch: fetchUntilFirst,
    });
    expect(stopped.stderr).toContain("1 of 3 events were sent again. Run the same command to send the rest.");
    expect(stopped.exitCode).toBe(130);
    expect(await json(`catch-up --since ${since} --yes`)).toMatchObject({ missed: 2 });
  });

  test("goes on after what may not be sent again, and says so", async () => {
    await sendWith(500, newLabel(), newLabel());
    registry.fail({ code: "forbidden" }, { on: "webhooks.deliveries.redeliver", times: 1 });
    const { exitCode, stdout, stderr } = await webhook(`catch-up --since ${since} --yes`);
    expect([exitCode, stdout]).toEqual([0, `1 of 2 events sent again to ${receiver.url}.\n`]);
    expect(stderr).toMatch(/prompt\.label\.moved evt_/);
  });

  test("ends where it may send nothing again", async () => {
    await sendWith(500, newLabel(), newLabel());
    registry.fail({ code: "not_found" }, { on: "webhooks.deliveries.redeliver", times: 1 });
    const { exitCode, stdout } = await webhook(`catch-up --since ${since} --yes`);
    expect([exitCode, stdout]).toEqual([4, `0 of 2 events sent again to ${receiver.url}.\n`]);
  });

  test("sends an event once, however many of its deliveries failed", async () => {
    await sendWith(500, newLabel());
    const [{ id }] = (await json("deliveries")).items;
    await webhook(`redeliver ${hook.id} ${id}`);
    await registry.deliver();
    const [again] = (await json("deliveries")).items;
    const { missed, items } = await json(`catch-up --since ${since} --yes`);
    expect([missed, items]).toEqual([1, [expect.objectContaining({ redeliveryOf: again.id })]]);
  });

  test("waits where it may not ask so often", { tags: "long" }, async () => {
    await sendWith(500, newLabel());
    registry.fail(
      { code: "rate_limited", retryAfterSeconds: 1 },
      { on: "webhooks.deliveries.redeliver", times: 1 },
    );
    expect(await json(`catch-up --since ${since} --yes`)).toMatchObject({ missed: 1, items: [{}] });
  });
});
