import { HttpResponse } from "msw";
import { describe, expect, test, vi } from "vitest";
import {
  clientOf,
  down,
  page,
  pinnedTo,
  refused,
  requests,
  resolvedTo,
  seconds,
  serve,
  stubRegistry,
  versionOf,
} from "../../test/registry-stub.ts";
import type { PromptCacheOptions, PromptDisk } from "../index.ts";

stubRegistry();

/** A disk in a map, so that tests can read it. */
function mapDisk() {
  const texts = new Map<string, string>();
  const disk: PromptDisk = {
    read: async (address) => texts.get(address),
    write: async (address, text) => void texts.set(address, text),
    remove: async (address) => void texts.delete(address),
  };
  return { texts, disk };
}

const named = { headers: { "x-request-id": "req-1" } };
const other = { ref: "eve/other", resolvedBy: { type: "label", value: "production" }, yanked: false };
const json = (data: unknown) => () => HttpResponse.json(data as object, named);
const cutOff = () =>
  new HttpResponse('{"ref":"ada/rep', { headers: { ...named.headers, "content-type": "application/json" } });

describe("a 200 that is not from the registry", () => {
  test.each<[what: string, answer: (request: Request) => Response]>([
    ["from another server", json({ status: "ok" })],
    ["without an id", () => HttpResponse.json({ status: "ok" })],
    ["a list", json([])],
    ["null", json(null)],
    ["a page", page(200)],
    ["cut off", cutOff],
    ["of another prompt", json({ ...other, version: versionOf(2) })],
    [
      "of another label",
      (request: Request) => resolvedTo(2)({ url: request.url.replace("production", "beta") }),
    ],
    [
      "without its entry",
      json({ ...other, ref: "ada/reply", version: { ...versionOf(2), entry: "CHAT.json" } }),
    ],
    ["without files", json({ ...other, ref: "ada/reply", version: { ...versionOf(2), files: null } })],
    ["with an empty version", json({ ...other, ref: "ada/reply", version: {} })],
    ...[
      { n: "2" },
      { promptId: null },
      { files: [{ path: "PROMPT.md", content: "" }, null] },
      { files: [{ path: "PROMPT.md" }] },
      { variables: {} },
      { config: null },
      { config: "none" },
    ].map((wrong): [string, () => Response] => [
      `whose version has ${JSON.stringify(wrong)}`,
      json({ ...other, ref: "ada/reply", version: { ...versionOf(2), ...wrong } }),
    ]),
  ])("(%s) counts as an outage, and replaces no cache entry", async (_, answer) => {
    const { texts, disk } = mapDisk();
    const client = clientOf({ cache: { disk } });
    const prompt = client.prompt("ada/reply@production", { fallback: "Hello {{name}}." });
    serve(answer);
    expect((await prompt.compile({ name: "Ada" })).prompt).toMatchObject({
      source: "fallback",
      staleReason: "server_error",
    });
    serve(resolvedTo(1));
    seconds(60);
    await prompt.get();
    await vi.waitFor(() => expect(texts.size).toBe(1));
    const [kept] = texts.values();
    serve(answer);
    seconds(7_200);
    expect((await prompt.compile({ name: "Ada" })).prompt).toMatchObject({
      source: "memory",
      version: 1,
      staleReason: "server_error",
    });
    await client.close();
    expect([...texts.values()]).toEqual([kept]);
  });

  test("is not used for a pinned version with another number", async () => {
    serve(pinnedTo(4));
    await expect(clientOf().prompt("ada/reply@3").get()).rejects.toMatchObject({
      code: "unexpected_response",
    });
  });

  test("differs from a renamed prompt, whose old address redirects", async () => {
    serve(({ url }) =>
      url.includes("/old?")
        ? HttpResponse.redirect(url.replace("/old?", "/reply?"), 301)
        : resolvedTo(2)({ url }),
    );
    expect(await clientOf().prompt("ada/old@production").get()).toMatchObject({
      ref: "ada/reply",
      version: 2,
    });
  });
});

test.each([
  ["damaged", () => '{"half'],
  ["foreign", () => '{"status":"ok"}'],
  ["null", () => "null"],
  ["another prompt's", (text: string) => text.replaceAll("ada/reply", "eve/other")],
  ["without content", (text: string) => text.replace('"files"', '"folders"')],
  ["of another label", (text: string) => text.replace("ada/reply@production", "ada/reply@beta")],
  ["without a ref", (text: string) => text.replace('"ref":"ada/reply"', '"ref":null')],
  ["without a number", (text: string) => text.replace('"version":1', '"version":"1"')],
  ["without its time", (text: string) => text.replace(/("confirmedAt":)(\d+)/, '$1"$2"')],
])("a file on disk that is %s is not used", async (_, damage) => {
  const { texts, disk } = mapDisk();
  serve(resolvedTo(1));
  const first = clientOf({ cache: { disk } });
  await first.prompt("ada/reply@production").get();
  await first.close();
  for (const [address, text] of texts) texts.set(address, damage(text));
  serve(down);
  const next = clientOf({ cache: { disk } }).prompt("ada/reply@production", { fallback: "Hello" });
  expect((await next.get()).source).toBe("fallback");
});

test("a version on disk is not used for a pinned one of another number", async () => {
  const { texts, disk } = mapDisk();
  serve(pinnedTo(3));
  const first = clientOf({ cache: { disk } });
  await first.prompt("ada/reply@3").get();
  await first.close();
  serve(down);
  const again = () => clientOf({ cache: { disk } }).prompt("ada/reply@3", { fallback: "Hello" }).get();
  expect((await again()).source).toBe("disk");
  for (const [address, text] of texts) texts.set(address, text.replace('"version":3', '"version":4'));
  expect((await again()).source).toBe("fallback");
});

describe("a refusal", () => {
  const gateway =
    (status: number, error: object, headers = {}) =>
    () =>
      HttpResponse.json({ error }, { status, headers });
  const ours = { code: "not_found", message: "No.", requestId: "req-1" };

  test.each([
    ["in an envelope of its own", gateway(404, { code: "ResourceNotFound", message: "No." }, named.headers)],
    ["without the id of its answer", gateway(404, ours)],
    ["with another id than its answer", gateway(410, ours, { "x-request-id": "req-2" })],
  ])("of a gateway, %s, counts as an outage", async (_, answer) => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production", { fallback: "Hello" });
    await prompt.get();
    serve(answer);
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "server_error" });
  });

  test("of the registry is thrown, whatever its code", async () => {
    serve(refused(451, "taken_down_for_a_reason_to_come"));
    const prompt = clientOf().prompt("ada/reply@production", { fallback: "Hello" });
    await expect(prompt.get()).rejects.toMatchObject({ code: "taken_down_for_a_reason_to_come" });
  });

  test("is remembered for a short time, or until the cache is cleared", async () => {
    serve(refused(404, "not_found"));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    for (let i = 0; i < 200; i += 1) await expect(prompt.get()).rejects.toMatchObject({ status: 404 });
    expect(requests).toHaveLength(1);
    serve(resolvedTo(1));
    client.cache.clear();
    expect((await prompt.get()).version).toBe(1);
  });

  test("is remembered for ten seconds at most", async () => {
    serve(refused(404, "not_found"));
    const prompt = clientOf().prompt("ada/reply@production");
    for (let i = 0; i < 9; i += 1) {
      await expect(prompt.get()).rejects.toMatchObject({ status: 404 });
      seconds(10);
    }
    expect(requests).toHaveLength(9);
  });

  test("wins over a cache entry that is still being written", async () => {
    const { texts, disk } = mapDisk();
    const written = Promise.withResolvers<void>();
    const slow = {
      ...disk,
      write: (...file: [string, string]) => written.promise.then(() => disk.write(...file)),
    };
    serve(resolvedTo(1));
    const client = clientOf({ cache: { disk: slow } });
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    serve(refused(410, "gone"));
    seconds(7_200);
    await expect(prompt.get()).rejects.toMatchObject({ status: 410 });
    written.resolve();
    await client.close();
    expect(texts.size).toBe(0);
  });

  test("wins over a cache entry that could not be deleted", async () => {
    const { texts, disk } = mapDisk();
    const stuck = { ...disk, remove: () => Promise.reject(new Error("read-only")) };
    serve(resolvedTo(1));
    const client = clientOf({ cache: { disk: stuck } });
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    await vi.waitFor(() => expect(texts.size).toBe(1));
    serve(refused(410, "gone"));
    seconds(7_200);
    await expect(prompt.get()).rejects.toMatchObject({ status: 410 });
    serve(down);
    for (let minute = 0; minute < 2; minute += 1) {
      seconds(60);
      await expect(prompt.get()).rejects.toMatchObject({ name: "ConnectionError" });
    }
  });
});

describe("a refused token", () => {
  const serving = (options: PromptCacheOptions = {}) => {
    const onEvent = vi.fn<NonNullable<PromptCacheOptions["onEvent"]>>();
    const client = clientOf({ cache: { onRefused: "serve", onEvent, ...options } });
    return { onEvent, prompt: client.prompt("ada/reply@production", { fallback: "Hello" }) };
  };

  test("counts as an outage if the application chose so, and is reported", async () => {
    const { onEvent, prompt } = serving();
    serve(refused(401, "invalid_token"));
    expect(await prompt.get()).toMatchObject({ source: "fallback", staleReason: "unauthenticated" });
    serve(resolvedTo(1));
    seconds(10);
    await prompt.get();
    serve(refused(401, "invalid_token"));
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "unauthenticated" });
    const event = { type: "refused", ref: "ada/reply@production", error: { code: "invalid_token" } };
    expect(onEvent.mock.calls.filter(([{ type }]) => type === "refused")).toMatchObject([[event], [event]]);
  });

  test.each([403, 404, 410])("is the only such refusal: %d is thrown", async (status) => {
    const { prompt } = serving();
    serve(resolvedTo(1));
    await prompt.get();
    serve(refused(status, "forbidden"));
    seconds(7_200);
    await expect(prompt.get()).rejects.toMatchObject({ status });
  });
});
