import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { startTestServer, type TestServer } from "../../test/harness.ts";
import { columns, type Fields, object, piece } from "./columns.ts";

interface Person {
  id: number;
  name: string | null;
  bornAt: string;
  tags: string[];
  address: { city: string; country: string };
  nickname?: string;
}

const person: Fields<Person, { city: string }> = {
  id: "7",
  name: "null",
  bornAt: "iso('2000-01-02T03:04:05Z')",
  tags: "array['a', 'b']",
  address: { city: piece<{ city: string }>`upper(${(_, { city }) => city}::text)`, country: "'AT'" },
};
const printed = {
  id: 7,
  name: null,
  bornAt: "2000-01-02T03:04:05.000Z",
  tags: ["a", "b"],
  address: { city: "WIEN", country: "AT" },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("columns print each field under its name, and an object as one of JSON", async () => {
  const ofPerson = columns<Person, { city: string }>(person);
  expect(await server.sql`select ${ofPerson(server.sql, { city: "wien" })}`).toEqual([printed]);
});

test("an object prints the same as one value", async () => {
  const ofPerson = object<Person, { city: string }>(person);
  const [row] = await server.sql`select ${ofPerson(server.sql, { city: "wien" })} as person`;
  expect(row).toEqual({ person: printed });
});

test("what a request gives is a parameter, whatever it holds", async () => {
  const echo = piece<{ text: string }>`${(_, { text }) => text}::text as said, ${"1 as one"}`;
  const text = `'; drop table users; -- "\${}`;
  expect(await server.sql`select ${echo(server.sql, { text })}`).toEqual([{ said: text, one: 1 }]);
});

test("a hole can hold a fragment", async () => {
  const chosen = piece<{ is: boolean }>`${(sql, { is }) => (is ? sql`1` : sql`${"none"}::text`)} as chosen`;
  expect(await server.sql`select ${chosen(server.sql, { is: true })}`).toEqual([{ chosen: 1 }]);
  expect(await server.sql`select ${chosen(server.sql, { is: false })}`).toEqual([{ chosen: "none" }]);
});

test("a piece within others leaves one template with its holes, the same for every request", () => {
  const inner = piece<{ n: number }>`(${(_, { n }) => n}::int)`;
  const outer = columns<{ a: number; b: number }, { n: number }>({ a: inner, b: piece`1 + ${inner}` });
  expect(outer.texts).toEqual(["(", '::int) as "a", 1 + (', '::int) as "b"']);
  const templateOf = (n: number) =>
    outer(server.sql, { n }) as unknown as { strings: unknown; args: unknown[] };
  expect(templateOf(1).strings).toBe(templateOf(2).strings);
  expect(templateOf(2).args).toEqual([2, 2]);
});

describe("what does not compile:", () => {
  type Short = Pick<Person, "name" | "bornAt">;

  test("a field that is missing, unknown or misspelt", () => {
    // @ts-expect-error `bornAt` is missing.
    expectTypeOf(columns<Short>).toBeCallableWith({ name: "u.name" });
    // @ts-expect-error There is no `id`.
    expect(columns<Short>({ name: "u.name", bornAt: "iso(u.at)", id: "u.id" })).toBeDefined();
    // @ts-expect-error It is spelt otherwise.
    expectTypeOf(columns<Short>).toBeCallableWith({ nmae: "u.name", bornAt: "iso(u.born)" });
    // @ts-expect-error An object is held to its interface too.
    expectTypeOf(columns<Pick<Person, "address">>).toBeCallableWith({ address: { city: "a.city" } });
  });

  test("a timestamp that is not printed as one", () => {
    // @ts-expect-error It is a column of the database, printed as PostgreSQL does.
    expectTypeOf(columns<Short>).toBeCallableWith({ name: "u.name", bornAt: "u.born" });
  });

  test("a list as an object, and what can be null", () => {
    // @ts-expect-error It would never be null.
    expectTypeOf(columns<{ it: { a: string } | null }>).toBeCallableWith({ it: { a: "1" } });
    // @ts-expect-error It is a list.
    expectTypeOf(columns<{ it: string[] }>).toBeCallableWith({ it: { length: "1" } });
  });

  test("a piece without what it needs", () => {
    const needy = piece<{ city: string }>`${(_, { city }) => city}::text`;
    // @ts-expect-error It has a hole for `city`.
    expectTypeOf(columns<{ name: string }>).toBeCallableWith({ name: needy });
    // @ts-expect-error It has a hole for `city`.
    expect(() => needy(server.sql)).toThrow(TypeError);
  });
});
