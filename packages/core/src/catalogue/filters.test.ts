import type * as z from "zod";
import { expect, test } from "vitest";
import { contract, listOperations } from "../index.ts";

const accounts = ["owner", "author", "maker"];
/** Every query by which a list is filtered by an account, and the fields that name its caller. */
const filters = listOperations(contract).flatMap(({ id, operation: { query, fields = {} } }) => {
  const { shape = {} } = (query ?? {}) as Partial<z.ZodObject>;
  return Object.keys(shape)
    .filter((field) => accounts.includes(field))
    .map((field) => ({ id, field, query: query as z.ZodObject, isCaller: field in fields }));
});

test.each(filters)("$id takes $field=me only where that names its caller", ({ field, query, isCaller }) => {
  const needed = "q" in query.shape && query.shape["q"].safeParse(undefined).success === false;
  const isTaken = (account: string) =>
    query.safeParse({ ...(needed && { q: "words" }), [field]: account }).success;
  expect(isTaken("me")).toBe(isCaller);
});

test("lists can be filtered by an account", () => {
  expect(filters.length).toBeGreaterThan(5);
});
