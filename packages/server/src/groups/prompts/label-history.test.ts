import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

/** Makes a prompt of alice's with some versions, and gives its id. */
const create = async (slug: string, fields: object = {}): Promise<string> =>
  (await publish(alice, slug, { versions: 3, ...fields })).id;
const move = (slug: string, name: string, versionNumber: number, reason: string | null = null) =>
  alice.request(`PUT /prompts/alice/${slug}/labels/${name}`, { body: { versionNumber, reason } });
const remove = (slug: string, name: string, headers: Record<string, string> = {}) =>
  alice.request(`DELETE /prompts/alice/${slug}/labels/${name}`, { headers });
const yank = (slug: string, n: number) => alice.request(`POST /prompts/alice/${slug}/versions/${n}/yank`);
const list = (slug: string, query = "") => server.anonymous(`GET /prompts/alice/${slug}/labels${query}`);
const history = (slug: string, name: string, query = "") =>
  server.anonymous(`GET /prompts/alice/${slug}/labels/${name}/history${query}`);
const names = ({ json }: { json: any }) => json.items.map(({ name }: { name: string }) => name);
const steps = ({ json }: { json: any }) =>
  json.items.map((item: any) => [item.fromVersionNumber, item.toVersionNumber]);

describe("the list of labels", () => {
  test("is sorted by name, with the computed latest in its place", async () => {
    await create("sorted");
    for (const name of ["production", "beta", "a.b", "a-b", "m2"]) await move("sorted", name, 1, "a reason");
    const { status, json } = await list("sorted");
    expect(status).toBe(200);
    expect(names({ json })).toEqual(["a-b", "a.b", "beta", "latest", "m2", "production"]);
    expect(json.items[2]).toMatchObject({ versionNumber: 1, reason: "a reason", system: false });
    const { createdAt } = (await server.anonymous("GET /prompts/alice/sorted/versions/3")).json;
    expect(json.items[3]).toEqual({
      name: "latest",
      versionNumber: 3,
      reason: null,
      updatedAt: createdAt,
      updatedBy: expect.objectContaining({ id: alice.id, handle: "alice" }),
      system: true,
    });
  });

  test("comes in pages, also if latest is the last item of one", async () => {
    await create("parts");
    for (const name of ["a", "b", "m", "z"]) await move("parts", name, 1);
    const seen = await itemsOf(server.nobody, "GET /prompts/alice/parts/labels?limit=1");
    expect(seen.map(({ name }) => name)).toEqual(["a", "b", "latest", "m", "z"]);
  });

  test("updates latest after yanks, and leaves it out if all versions are yanked", async () => {
    await create("yanked", { versions: 2 });
    await yank("yanked", 2);
    expect((await list("yanked")).json.items).toMatchObject([{ name: "latest", versionNumber: 1 }]);
    await yank("yanked", 1);
    expect((await list("yanked")).json).toEqual({ items: [], nextCursor: null });
  });
});

describe("the history of a label", () => {
  test("has each move, newest first: from, to, reason, actor and time", async () => {
    await create("told");
    await server.setClock("2031-03-01T10:00:00.000Z");
    await move("told", "production", 1);
    await server.setClock("2031-03-02T10:00:00.000Z");
    await move("told", "production", 2, "eval passed");
    const { json } = await history("told", "production");
    const actor = expect.objectContaining({ id: alice.id, handle: "alice" });
    const id = expect.stringMatching(/^lmv_[0-9a-hjkmnp-tv-z]{26}$/);
    const about = { id, name: "production", actor, token: null };
    expect(json).toEqual({
      items: [
        {
          ...about,
          fromVersionNumber: 1,
          toVersionNumber: 2,
          reason: "eval passed",
          at: "2031-03-02T10:00:00.000Z",
        },
        {
          ...about,
          fromVersionNumber: null,
          toVersionNumber: 1,
          reason: null,
          at: "2031-03-01T10:00:00.000Z",
        },
      ],
      nextCursor: null,
    });
    const own = await alice.request("GET /prompts/alice/told/labels/production/history");
    expect(own.json.items.map(({ token }: { token: string | null }) => token)).toEqual(["test", "test"]);
  });

  test("stays after the label is deleted, and continues with a new label of the same name", async () => {
    await create("outlived");
    await move("outlived", "production", 1);
    await remove("outlived", "production");
    expect(steps(await history("outlived", "production"))).toEqual([
      [1, null],
      [null, 1],
    ]);
    await move("outlived", "production", 2);
    expect(steps(await history("outlived", "production"))[0]).toEqual([null, 2]);
  });

  test("comes in pages without repeats and gaps while the label moves", async () => {
    await create("parts-of-history");
    for (const n of [1, 2, 3, 1, 2]) await move("parts-of-history", "production", n);
    const first = await history("parts-of-history", "production", "?limit=2");
    expect(steps(first)).toEqual([
      [1, 2],
      [3, 1],
    ]);
    await move("parts-of-history", "production", 3);
    const second = await history(
      "parts-of-history",
      "production",
      `?limit=3&cursor=${first.json.nextCursor}`,
    );
    expect([steps(second), second.json.nextCursor]).toEqual([
      [
        [2, 3],
        [1, 2],
        [null, 1],
      ],
      null,
    ]);
  });

  test("has only one label of one prompt", async () => {
    await create("one");
    await create("other");
    await move("one", "production", 1);
    await move("one", "staging", 2);
    await move("other", "production", 3);
    expect(steps(await history("one", "production"))).toEqual([[null, 1]]);
  });

  beforeAll(() => create("without"));
  test.for(["never", "draft"])("of %s, which never existed, is not found", async (name) => {
    const { status, json } = await history("without", name);
    expect([status, json.error.code, json.error.message]).toEqual([
      404,
      "not_found",
      `alice/without has no label ${name}, and never had.`,
    ]);
  });

  test("of latest is refused: it is computed", async () => {
    await create("computed");
    const { status, json } = await history("computed", "latest");
    expect([status, json.error.code, json.error.details[0].path]).toEqual([
      422,
      "validation_failed",
      "/name",
    ]);
  });
});

test("If-Match allows the deletion of a label only if the prompt has not changed", async () => {
  await create("matched");
  await move("matched", "production", 1);
  const etag = (await alice.request("GET /prompts/alice/matched")).headers.get("etag") ?? "";
  await move("matched", "staging", 1);
  expect((await remove("matched", "production", { "if-match": etag })).status).toBe(412);
  const now = (await alice.request("GET /prompts/alice/matched")).headers.get("etag") ?? "";
  expect((await remove("matched", "production", { "if-match": now })).status).toBe(204);
});

describe("a label at a time in the past", () => {
  const at = (time: string, query = "", who: Sender = server.nobody) =>
    who.request(`GET /prompts/alice/past?label=production&at=${encodeURIComponent(time)}${query}`);

  beforeAll(async () => {
    await create("past");
    const moments: [at: string, change: () => Promise<unknown>][] = [
      // Another label has times of its own.
      ["2033-01-01T10:00:00.000Z", () => move("past", "staging", 3)],
      ["2032-01-01T10:00:00.000Z", () => move("past", "production", 1)],
      ["2032-01-02T10:00:00.000Z", () => move("past", "production", 2)],
      ["2032-01-03T10:00:00.000Z", () => remove("past", "production")],
      ["2032-01-04T10:00:00.000Z", () => move("past", "production", 3)],
      ["2032-01-04T10:00:00.000Z", () => move("past", "production", 1)],
      // The clock is set back.
      ["2032-01-04T09:00:00.000Z", () => move("past", "production", 2)],
      ["2032-01-05T10:00:00.000Z", () => yank("past", 1)],
    ];
    for (const [time, change] of moments) {
      await server.setClock(time);
      await change();
    }
  });

  test.for([
    ["2032-01-01T10:00:00Z", 1],
    ["2032-01-02T09:59:59.999Z", 1],
    ["2032-01-02T10:00:00.000Z", 2],
    ["2032-01-02T10:00:00.000999Z", 2],
    ["2032-01-02T11:00:00+01:00", 2],
    ["2032-01-02T11:00:00+01:01", 1],
    ["2032-01-03T09:59:59-00:00", 2],
    // Of three moves in one millisecond the last counts, also if the clock was set back before it.
    ["2032-01-04T10:00:00Z", 2],
    ["2032-01-05T10:00:00Z", 2],
  ] as const)("%s is at version %i", async ([time, n]) => {
    const { status, json } = await at(time);
    expect([status, json.version?.n]).toEqual([200, n]);
    expect(json.resolvedBy).toEqual({ type: "label", value: "production" });
  });

  test.for([
    "2032-01-01T09:59:59.999Z",
    "2032-01-03T10:00:00.000Z",
    "2032-01-04T09:30:00.000Z",
    "0001-01-01T00:00:00.000Z",
  ])("%s is before it existed, or after it was deleted", async (time) => {
    const { status, json } = await at(time);
    expect([status, json.error.code, json.error.message]).toEqual([
      404,
      "not_found",
      `alice/past has no label production at ${time}.`,
    ]);
  });

  test("still shows a version that was yanked later, and says so", async () => {
    const { json } = await at("2032-01-01T12:00:00Z", "&view=version");
    expect(json).toMatchObject({ yanked: true, version: { n: 1 }, ref: "alice/past" });
  });

  test("is refused if the time is in the future", async () => {
    const { status, json } = await at("2032-01-05T10:00:00.001Z");
    expect([status, json.error.code, json.error.details[0].path]).toEqual([422, "validation_failed", "/at"]);
  });

  test.for([
    "0000-01-01T00:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "+012032-01-01T00:00:00Z",
    "-000001-01-01T00:00:00Z",
    "2032-02-30T00:00:00Z",
    "2032-01-01T24:00:00Z",
    "2032-01-01T00:00:00+24:00",
    "2032-01-01T00:00:00",
    "2032-01-01",
    "1956528000",
    "infinity",
    "",
    "now",
    `2032-01-01T00:00:00.${"0".repeat(5000)}x`,
  ])("%s is no valid time", async (time) => {
    const { status, json } = await at(time);
    expect([status, json.error.code, json.error.details[0].path]).toEqual([422, "validation_failed", "/at"]);
  });

  test("the year 9999 is in the future, and an error explains a plus that became a space", async () => {
    expect((await at("9999-12-31T23:59:59Z")).json.error.message).toContain("is in the future");
    const bare = await server.anonymous(
      "GET /prompts/alice/past?label=production&at=2032-01-02T11:00:00+01:00",
    );
    expect([bare.status, bare.json.error.message]).toEqual([422, expect.stringContaining("%2B")]);
  });

  test.for(["", "version=1&", "label=latest&", "version=1&label=production&"])(
    "%s goes with no moment",
    async (which) => {
      const { status, json } = await server.anonymous(
        `GET /prompts/alice/past?${which}at=2032-01-02T10:00:00Z`,
      );
      expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("of a prompt that the caller cannot see is not found, at any time", async () => {
    await create("secret", { visibility: "private" });
    await move("secret", "production", 1);
    for (const time of ["2032-01-05T10:00:00Z", "9999-01-01T00:00:00Z"]) {
      const route = `GET /prompts/alice/secret?label=production&at=${time}`;
      expect((await server.anonymous(route)).status).toBe(404);
    }
  });
});
