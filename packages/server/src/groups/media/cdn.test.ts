import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload } from "../../../test/media.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";

let server: TestServer;
let alice: Person;
let picture: string;

beforeAll(async () => {
  const cdn = { purgeUrl: new URL("http://127.0.0.1:9/"), token: null };
  server = await startTestServer({ cdn });
  alice = await server.join("alice");
  await server.sql`update users set trusted_author = true where handle = 'alice'`;
  // Each test hides what it showed.
  picture = await upload(server, alice, png());
});
afterAll(() => server.stop());

const read = async (path = `/media/${picture}`, headers: Record<string, string> = {}) => {
  const { status, headers: got } = await fetch(`${server.url}${path}`, { headers });
  const names = ["cache-control", "cdn-cache-control", "surrogate-control", "cache-tag", "surrogate-key"];
  return { status, headers: got, about: names.map((name) => got.get(name)) };
};
const byEverybody = (key: string) => ["public, no-cache", "max-age=31536000", "max-age=31536000", key, key];

/** Shows the picture, by the name of what shows it, and gives the path of that. */
const showing = {
  async collection() {
    const { id } = await expectDone(alice, "POST /collections", { title: "Daily", visibility: "public" });
    await expectDone(alice, `PATCH /collections/${id}`, { coverMediaId: picture });
    return `/collections/${id}`;
  },
  async prompt() {
    const slug = `painter-${randomUUID()}`;
    await publish(alice, slug);
    const path = `/prompts/alice/${slug}`;
    await expectDone(alice, `POST ${path}/examples`, { mediaIds: [picture] });
    return path;
  },
  async example() {
    const path = await showing.prompt();
    const { items } = await expectDone(alice, `GET ${path}/examples`);
    return `${path}/examples/${items[0].id}`;
  },
  /** The example, by the path of its review. */
  async judged() {
    const path = await showing.example();
    return `/examples/${path.split("/").at(-1)}`;
  },
  async make() {
    const { slug } = await expectDone(alice, "POST /makes", { title: "A bot", body: "It reviews" });
    await expectDone(alice, `POST /makes/${slug}/media`, { mediaId: picture });
    await expectDone(alice, `PATCH /makes/${slug}`, { status: "published" });
    return `/makes/${slug}`;
  },
  async item() {
    const path = await showing.make();
    const { media } = await expectDone(alice, `GET ${path}`);
    return `${path}/media/${media[0].id}`;
  },
  async post() {
    const post = { title: "Covered", body: "It says", coverMediaId: picture };
    const { id } = await expectDone(alice, "POST /posts", post);
    await expectDone(alice, `POST /posts/${id}/submit`, {});
    return `/posts/${id}`;
  },
  async account() {
    await expectDone(alice, "PATCH /me", { avatarMediaId: picture });
    return "/me";
  },
};

describe("a CDN", () => {
  test("keeps a picture that everybody sees for a year, by its id, also as a thumbnail, a part and a 304", async () => {
    await showing.account();
    const whole = await read();
    expect([whole.status, whole.about, whole.headers.get("vary")]).toEqual([200, byEverybody(picture), null]);
    expect((await read(`/media/${picture}/thumbnail`)).about).toEqual(byEverybody(picture));
    const part = await read(undefined, { range: "bytes=0-3" });
    expect([part.status, part.about]).toEqual([206, byEverybody(picture)]);
    const same = await read(undefined, { "if-none-match": whole.headers.get("etag") ?? "" });
    expect([same.status, same.about]).toEqual([304, byEverybody(picture)]);
    await expectDone(alice, "PATCH /me", { avatarMediaId: null });
  });

  test("keeps nothing of what not everybody sees, and no refusal", async () => {
    const { url } = await expectDone(alice, `GET /media/${picture}`);
    const { pathname, search } = new URL(url);
    const link = await read(pathname + search);
    expect([link.status, link.about]).toEqual([200, ["private, no-cache", null, null, null, null]]);
    const refused = await read();
    expect([refused.status, refused.about]).toEqual([404, ["no-store", null, null, null, null]]);
  });

  test.each<[what: string, shown: keyof typeof showing, route: string, body?: object]>([
    ["a collection that turns private", "collection", "PATCH", { visibility: "private" }],
    ["a collection that gets another cover", "collection", "PATCH", { coverMediaId: null }],
    ["a deleted collection", "collection", "DELETE"],
    ["a prompt that turns private", "prompt", "PATCH", { visibility: "private" }],
    ["a deleted prompt", "prompt", "DELETE"],
    ["an example that shows others", "example", "PATCH", { mediaIds: [], output: "Here" }],
    ["a rejected example", "judged", "POST /reject"],
    ["a deleted example", "example", "DELETE"],
    ["a make that is a draft again", "make", "PATCH", { status: "draft" }],
    ["a deleted make", "make", "DELETE"],
    ["a deleted item of a gallery", "item", "DELETE"],
    ["an unpublished post", "post", "POST /unpublish"],
    ["a deleted post", "post", "DELETE"],
    ["an account that gets another picture", "account", "PATCH", { avatarMediaId: null }],
  ])("forgets the picture of %s", async (_, shown, route, body) => {
    const path = await showing[shown]();
    expect((await read()).status).toBe(200);
    await server.sql`delete from purges`;
    const [method, below = ""] = route.split(" ");
    const { status } = await alice.request(`${method} ${path}${below}`, body && { body });
    expect(status).toBeLessThan(300);
    expect((await read()).status).toBe(404);
    const purges = await server.sql`select key from purges where key = ${picture}`;
    expect(purges.count).toBe(1);
  });
});
