import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import { pagesOf } from "../../../test/requests.ts";
import { firstByCount } from "./by-count.sql.ts";
import { checkOrder } from "./exact-order.ts";
import { fitting, goesOn } from "./fitting.sql.ts";
import { openPage } from "./page.ts";
import { openSecretBox } from "../secrets/secret-box.ts";

let server: FixtureServer;

beforeAll(async () => {
  server = await startFixtures();
});
afterAll(() => server.stop());

const numbersOf = (json: { items: { n: number }[] }) => json.items.map(({ n }) => n);

/** All pages of a list. */
const walk = async (route: string): Promise<number[][]> =>
  (await pagesOf(server, route)).map(({ json }) => numbersOf(json));

describe("a list", () => {
  test("comes in pages of thirty, and says when it ends", async () => {
    const parts = await walk("GET /numbers/65");
    expect(parts.map((part) => part.length)).toEqual([30, 30, 5]);
    expect(parts.flat()).toEqual(Array.from({ length: 65 }, (_, i) => 65 - i));
  });

  test("that fills its last page ends with it", async () => {
    expect((await walk("GET /numbers/20?limit=10")).map((part) => part.length)).toEqual([10, 10]);
  });

  test("without items is one empty page", async () => {
    expect(await walk("GET /numbers/0")).toEqual([[]]);
  });

  test("can change its page size in the middle", async () => {
    const { json } = await server.request("GET /numbers/65?limit=7");
    const next = await server.request(`GET /numbers/65?limit=100&cursor=${json.nextCursor}`);
    expect(numbersOf(next.json)).toEqual(Array.from({ length: 58 }, (_, i) => 58 - i));
  });

  test.each(["0", "101", "-1", "1.5", "ten", "", "1e2", "007", "9999999999"])(
    "refuses a limit of %j instead of using another",
    async (limit) => {
      const { status, json } = await server.request(`GET /numbers/5?limit=${limit}`);
      expect([status, json.error.code, json.error.details[0].path]).toEqual([
        422,
        "validation_failed",
        "/limit",
      ]);
    },
  );

  test("answers 304 for a page that has not changed", async () => {
    const first = await server.request("GET /numbers/5");
    const etag = first.headers.get("etag") ?? "";
    const again = (route: string) => server.request(route, { headers: { "if-none-match": etag } });
    expect([(await again("GET /numbers/5")).status, (await again("GET /numbers/6")).status]).toEqual([
      304, 200,
    ]);
  });
});

describe("the first matches in an order", () => {
  const first = async (matches: number, isBeyond?: number) => {
    const { sql } = server.real;
    const rows = await firstByCount(sql, {
      from: sql`(select n from generate_series(1, 20) n)`,
      alias: sql`t`,
      listed: sql`t.n > 1`,
      fits: sql`t.n <= ${matches + 1}`,
      order: sql`order by t.n desc`,
      ...(isBeyond !== undefined && { isBeyond: sql`t.n < ${isBeyond}` }),
      take: 3,
      few: 5,
    });
    return rows.map(({ n }) => n as number);
  };

  test.each([2, 4, 5, 6, 7, 19])("are the same whether few or many match: %i", async (matches) => {
    const all = Array.from({ length: matches }, (_, nth) => matches + 1 - nth);
    expect(await first(matches)).toEqual(all.slice(0, 3));
    expect(await first(matches, matches)).toEqual(all.slice(2, 5));
  });
});

describe("rows that are long", () => {
  const fit = async (...sizes: number[]) => {
    const { sql } = server.real;
    const rows = sql`select n, size from unnest(${sizes}::int[]) with ordinality given (size, n)`;
    const fits = await sql<{ n: string; found: number }[]>`
      select n, found from ${fitting(sql, { rows, order: sql`n` })} f order by n`;
    return { rows: fits, ns: fits.map(({ n }) => Number(n)) };
  };
  const mebibyte = 1024 * 1024;

  test("come as many as begin within 8 MiB, and at least one", async () => {
    expect((await fit(9 * mebibyte, 1)).ns).toEqual([1]);
    expect((await fit(5 * mebibyte, 3 * mebibyte - 1, 1, 1)).ns).toEqual([1, 2, 3]);
    expect((await fit(5 * mebibyte, 3 * mebibyte, 1, 1)).ns).toEqual([1, 2]);
    expect((await fit()).ns).toEqual([]);
  });

  test("go on where not all fit, or more were found than a page takes", async () => {
    const page = (limit: number) =>
      openPage(openSecretBox("one"), { id: "any", params: {}, query: { limit } });
    const [none, three, long] = [await fit(), await fit(1, 1, 1), await fit(9 * mebibyte, 1)];
    expect([goesOn(none.rows, page(3)), goesOn(three.rows, page(3)), goesOn(three.rows, page(2))]).toEqual([
      false,
      false,
      true,
    ]);
    expect([goesOn(long.rows, page(3)), goesOn(long.rows, page(1))]).toEqual([true, true]);
  });
});

test("a new order names each thing once, and nothing else", () => {
  const check = (...ids: string[]) => checkOrder(ids, new Set(["a", "b"]));
  expect(() => check("b", "a")).not.toThrow();
  for (const ids of [[], ["a"], ["a", "a"], ["a", "c"], ["a", "b", "b"], ["a", "b", "c"]])
    expect(() => check(...ids)).toThrow(expect.objectContaining({ code: "order_mismatch" }));
});

describe("a cursor", () => {
  const codeOf = async (route: string) => {
    const { status, json } = await server.request(route);
    return [status, json.error?.code];
  };
  let cursor: string;
  beforeAll(async () => {
    cursor = (await server.request("GET /numbers/65?parity=odd&limit=5")).json.nextCursor;
  });

  test("continues its own list", async () => {
    const { json } = await server.request(`GET /numbers/65?parity=odd&limit=2&cursor=${cursor}`);
    expect(numbersOf(json)).toEqual([55, 53]);
  });

  test.each([
    ["other filters", "GET /numbers/65?parity=even"],
    ["no filters", "GET /numbers/65?"],
    ["the same filters on another list", "GET /numbers/64?parity=odd"],
  ])("is refused with %s", async (_what, route) => {
    expect(await codeOf(`${route}&cursor=${cursor}`)).toEqual([400, "invalid_cursor"]);
  });

  test("is refused if any one character was changed", () => {
    const secrets = openSecretBox("one");
    const list = { id: "lists.below", params: { word: "65" }, query: {} };
    const { json } = openPage(secrets, list).reply([{ item: "{}", key: [57] }], { goesOn: true });
    const { nextCursor } = JSON.parse(json) as { nextCursor: string };
    const open = (text: string) => () => openPage(secrets, { ...list, query: { cursor: text } }).after;
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=".split("");
    for (let at = 0; at < nextCursor.length; at++) {
      for (const letter of letters.filter((other) => other !== nextCursor[at])) {
        const changed = nextCursor.slice(0, at) + letter + nextCursor.slice(at + 1);
        expect(open(changed)).toThrow(expect.objectContaining({ code: "invalid_cursor" }));
      }
    }
    expect(open(nextCursor)()).toEqual([57]);
  });

  test("is refused with the digest of another position", async () => {
    const sealed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const elsewhere = Buffer.from(JSON.stringify({ ...sealed, k: [31] })).toString("base64url");
    expect(await codeOf(`GET /numbers/65?parity=odd&cursor=${elsewhere}`)).toEqual([400, "invalid_cursor"]);
  });

  test.each([
    "",
    "0",
    "null",
    Buffer.from("null").toString("base64url"),
    Buffer.from("{}").toString("base64url"),
    Buffer.from('{"v":1,"k":[30],"f":""}').toString("base64url"),
    Buffer.from('{"v":1,"k":"30"}').toString("base64url"),
    Buffer.from("[".repeat(5000)).toString("base64url"),
    "%00",
    "💥",
    "x".repeat(8000),
  ])("is refused when it is %.40j", async (text) => {
    expect(await codeOf(`GET /numbers/65?cursor=${encodeURIComponent(text)}`)).toEqual([
      400,
      "invalid_cursor",
    ]);
  });

  test("sent twice is a validation error", async () => {
    expect(await codeOf(`GET /numbers/65?cursor=${cursor}&cursor=${cursor}`)).toEqual([
      422,
      "validation_failed",
    ]);
  });

  test("works on every server with the same secret, and only there", () => {
    const list = { id: "lists.below", params: { word: "65" }, query: {} };
    const print = openPage(openSecretBox("one"), list).reply([{ item: "{}", key: [7] }], {
      goesOn: true,
    }).json;
    const { nextCursor } = JSON.parse(print);
    const open = (secret: string) =>
      openPage(openSecretBox(secret), { ...list, query: { cursor: nextCursor } });
    expect(open("one").after).toEqual([7]);
    expect(() => open("another")).toThrow(expect.objectContaining({ code: "invalid_cursor" }));
  });

  test("can continue from a position further on, even if the page is empty", () => {
    const list = { id: "any", params: {}, query: {} };
    const secrets = openSecretBox("one");
    const { json } = openPage(secrets, list).reply([], { goesOn: true, from: ["reached"] });
    const { items, nextCursor } = JSON.parse(json);
    expect(items).toEqual([]);
    expect(openPage(secrets, { ...list, query: { cursor: nextCursor } }).after).toEqual(["reached"]);
  });

  test("gives back every key unchanged", () => {
    const secrets = openSecretBox("one");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
        (drawn) => {
          // Through JSON, which has no negative zero.
          const key = JSON.parse(JSON.stringify(drawn)) as (string | number)[];
          const list = { id: "any", params: {}, query: {} };
          const { json } = openPage(secrets, list).reply([{ item: "{}", key }], { goesOn: true });
          const { nextCursor } = JSON.parse(json);
          expect(openPage(secrets, { ...list, query: { cursor: nextCursor } }).after).toEqual(key);
        },
      ),
    );
  });
});
