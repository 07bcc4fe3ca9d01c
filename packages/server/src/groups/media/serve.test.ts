import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload, uploadOf } from "../../../test/media.ts";
import { expectDone } from "../../../test/scenes.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { selectMedia } from "./media.sql.ts";

let server: TestServer;
let alice: Person;
/** A file of alice's that nobody else sees, and its address, which expires. */
let file: { id: string; url: string };
/** A picture that everybody sees, and its address, which stays. */
let avatar: { id: string; url: string; thumbnailUrl: string };
const text = "0123456789";

beforeAll(async () => {
  server = await startTestServer();
  await server.setClock("2030-01-01T10:20:00Z");
  alice = await server.join("alice");
  const { json } = await alice.request("POST /media", {
    body: uploadOf(text, "Übung's (1).txt", { purpose: "file" }),
  });
  await server.workOff();
  file = await expectDone(alice, `GET /media/${json.id}`);
  const avatarMediaId = await upload(server, alice, png());
  await expectDone(alice, "PATCH /me", { avatarMediaId });
  avatar = await expectDone(alice, `GET /media/${avatarMediaId}`);
});
afterAll(() => server.stop());

const ask = async (url: string, headers: Record<string, string> = {}, method = "GET") => {
  const response = await fetch(url, { headers, method });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const keyOf = async (id: string) =>
  String((await server.sql`select key from stored_files where used_by = ${id}`)[0]?.["key"]);

describe("the address of media", () => {
  test("that everybody sees is the same for ever, and asks each time whether they do", async () => {
    expect(avatar.url).toBe(`${server.url}/media/${avatar.id}`);
    const { status, headers } = await ask(avatar.url);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
    const etag = headers.get("etag") ?? "";
    expect((await ask(avatar.url, { "if-none-match": etag })).status).toBe(304);
    await expectDone(alice, "PATCH /me", { avatarMediaId: null });
    for (const sent of [{}, { "if-none-match": etag }] as Record<string, string>[]) {
      const gone = await ask(avatar.url, sent);
      expect([gone.status, gone.headers.get("cache-control")]).toEqual([404, "no-store"]);
    }
    await expectDone(alice, "PATCH /me", { avatarMediaId: avatar.id });
  });

  test("that not everybody sees works until the end of the next hour, and no ETag keeps it alive", async () => {
    const { pathname, search, searchParams } = new URL(file.url);
    expect(pathname).toBe(`/media/${file.id}`);
    expect(new Date(Number(searchParams.get("expires")) * 1000).toISOString()).toBe(
      "2030-01-01T12:00:00.000Z",
    );
    const { status, text: content, headers } = await ask(file.url);
    expect([status, content, headers.get("cache-control")]).toEqual([200, text, "private, no-cache"]);
    await server.setClock("2030-01-01T11:59:59Z");
    expect((await ask(file.url, { "if-none-match": headers.get("etag") ?? "" })).status).toBe(304);
    await server.setClock("2030-01-01T12:00:00Z");
    expect((await ask(file.url)).status).toBe(404);
    expect((await ask(file.url, { "if-none-match": headers.get("etag") ?? "" })).status).toBe(404);
    // Who reads again gets another one, although nothing else has changed.
    const now = await expectDone(alice, `GET /media/${file.id}`);
    expect(now.url).not.toContain(search);
    expect((await ask(now.url)).status).toBe(200);
    await server.setClock("2030-01-01T10:20:00Z");
  });

  test("with anything changed does not work", async () => {
    const other = await upload(server, alice, "other", { purpose: "file" });
    const changed = [
      file.url.replace(file.id, other),
      file.url.replace("?", "/thumbnail?"),
      file.url.replace(/expires=\d+/, "expires=9999999999"),
      file.url.replace(/expires=/, "expires=0"),
      file.url.replace(/signature=.{4}/, "signature=0000"),
      file.url.replace(/signature=.*/, "signature="),
      file.url.replace(/&signature=.*/, ""),
      file.url.replace(/\?.*/, ""),
      `${avatar.url}${new URL(file.url).search}`,
      `${server.url}/media/nonsense`,
      `${server.url}/media/${file.id}/other`,
    ];
    for (const url of changed) expect([url, (await ask(url)).status]).toEqual([url, 404]);
  });

  test("does not work once they are deleted", async () => {
    const id = await upload(server, alice, "short-lived", { purpose: "file" });
    const { url } = await expectDone(alice, `GET /media/${id}`);
    expect((await ask(url)).status).toBe(200);
    await alice.request(`DELETE /media/${id}`);
    expect((await ask(url)).status).toBe(404);
    // So they are for who found them before.
    const looking = { id, viewerId: alice.id, ...siteOf(server.context) };
    await expect(selectMedia(server.sql, looking)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("media that everybody sees are served once they are ready, and not once they are deleted", async () => {
  const isServed = async () => (await ask(avatar.url)).status === 200;
  expect(await isServed()).toBe(true);
  await server.sql`update media set status = 'processing' where id = ${avatar.id}`;
  expect(await isServed()).toBe(false);
  await server.sql`update media set status = 'ready', deleted_at = clock() where id = ${avatar.id}`;
  expect(await isServed()).toBe(false);
  await server.sql`update media set deleted_at = null where id = ${avatar.id}`;
});

describe("media as they are served", () => {
  test("run nothing, and say what they are", async () => {
    const picture = await ask(avatar.url);
    const wanted = {
      "content-type": "image/png",
      "content-disposition": "inline; filename*=UTF-8''a.bin",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
    };
    for (const [name, value] of Object.entries(wanted))
      expect([name, picture.headers.get(name)]).toEqual([name, value]);
    const thumbnail = await ask(avatar.thumbnailUrl);
    expect([thumbnail.status, thumbnail.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(thumbnail.headers.get("etag")).not.toBe(picture.headers.get("etag"));
  });

  test("that are files are downloads, under a name of any script", async () => {
    const { headers } = await ask(file.url);
    expect(headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''%C3%9Cbung%27s%20%281%29.txt",
    );
  });

  test.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-20", 206, text, "bytes 0-9/10"],
    ["bytes=0-99", 206, text, "bytes 0-9/10"],
    ["bytes=4-2", 200, text, null],
    ["bytes=0-1,4-5", 200, text, null],
    ["lines=1-2", 200, text, null],
    ["bytes=10-", 416, null, "bytes */10"],
    ["bytes=-0", 416, null, "bytes */10"],
  ])("answer %s with %i", async (range, status, content, contentRange) => {
    const answer = await ask(file.url, { range });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([status, contentRange]);
    if (content !== null) {
      expect([answer.text, answer.headers.get("content-length")]).toEqual([content, String(content.length)]);
    }
  });

  test("answer a range only of what the sender has the beginning of", async () => {
    const { headers } = await ask(file.url);
    const range = "bytes=2-4";
    expect((await ask(file.url, { range, "if-range": headers.get("etag") ?? "" })).status).toBe(206);
    expect((await ask(file.url, { range, "if-range": '"other"' })).status).toBe(200);
  });

  test("answer HEAD as GET, and take no other method", async () => {
    const [got, head] = [await ask(file.url), await ask(file.url, {}, "HEAD")];
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const name of ["etag", "content-length", "content-type", "accept-ranges"])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    expect((await ask(file.url, {}, "POST")).status).toBe(404);
  });

  test("arrive whole, though the memory of what was sent is used for the next", async () => {
    const contents = [1, 2].map((n) => new Uint8Array(5_000_000).fill(n));
    const urls: string[] = [];
    for (const content of contents) {
      const id = await upload(server, alice, content, { purpose: "file" });
      urls.push((await expectDone(alice, `GET /media/${id}`)).url);
    }
    const read = async (response: Response) => Buffer.from(await response.arrayBuffer());
    const slow = await Promise.all([...urls, ...urls].map((url) => fetch(url)));
    for (const url of urls) await (await fetch(url)).body?.cancel();
    const quick = await Promise.all([...urls, ...urls].map(async (url) => read(await fetch(url))));
    const whole = [...quick, ...(await Promise.all(slow.map(read)))];
    expect(whole.map((bytes, nth) => bytes.equals(contents[nth % 2]!))).toEqual(whole.map(() => true));
  });

  test("hold no memory and no file when nobody reads them", async () => {
    for (let time = 0; time < 3; time++) {
      const response = await fetch(file.url);
      await response.body?.cancel();
    }
    await expect.poll(() => server.context.holdings.bytes).toBe(0);
  });

  test.each<[what: string, change: (whole: Buffer) => Buffer]>([
    ["fewer bytes than were stored", (whole) => whole.subarray(0, -1)],
    ["none", () => Buffer.alloc(0)],
    ["other bytes", (whole) => Buffer.concat([whole.subarray(0, -1), Buffer.of(0)])],
  ])("break off where the store has %s", async (_, change) => {
    const { store } = server.context;
    const whole = await buffer(await store.get(await keyOf(file.id)));
    server.context.store = Object.assign(Object.create(store), {
      get: () => Promise.resolve(Readable.from([change(whole)])),
    });
    const reading = fetch(file.url).then((response) => response.text());
    await expect(reading).rejects.toThrow("terminated");
    server.context.store = store;
    expect((await ask(file.url)).text).toBe(text);
    await expect.poll(() => server.context.holdings.bytes).toBe(0);
  });

  test("are counted by the bytes that are sent", async () => {
    const counted: unknown[] = [];
    const { context } = server;
    context.metrics = { countMedia: (...args: unknown[]) => counted.push(args) } as never;
    await ask(file.url);
    await ask(file.url, { range: "bytes=2-4" });
    await ask(file.url, {}, "HEAD");
    context.metrics = null;
    expect(counted).toEqual([
      ["sent", 10],
      ["sent", 3],
    ]);
  });

  test("count for what their address may send, unless nothing is new", async () => {
    const { context } = server;
    const { limiter } = context;
    let counted = 0;
    const count = (by: number) => () => {
      counted += by;
    };
    context.limiter = { ...limiter, take: count(1), giveBack: count(-1) } as never;
    const { headers } = await ask(file.url);
    expect(counted).toBe(1);
    await ask(file.url, { "if-none-match": headers.get("etag") ?? "" });
    expect(counted).toBe(1);
    context.limiter = limiter;
  });

  test("answer 500 where the store has lost them", async () => {
    const id = await upload(server, alice, "lost", { purpose: "file" });
    const { url } = await expectDone(alice, `GET /media/${id}`);
    await server.context.store.delete(await keyOf(id));
    const reported = vi.spyOn(server.context.failures, "report");
    expect((await ask(url)).status).toBe(500);
    expect(reported.mock.calls.map(([, about]) => about)).toMatchObject([
      { operation: "/media", mediaId: id, status: 500 },
    ]);
    reported.mockRestore();
  });

  test("answer 503 while the store is away", async () => {
    const { store } = server.context;
    server.context.store = {
      ...store,
      get: () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" })),
    };
    expect((await ask(file.url)).status).toBe(503);
    server.context.store = store;
  });
});
