import { contract } from "@promptreg/core";
import { describe, expect, test } from "vitest";
import { printOpenapi } from "./document.ts";
import { type JsonSchema, nameOf } from "./shape.ts";

const document = printOpenapi(contract, { publicUrl: "https://prompts.example" });
const { schemas } = document.components;

const unions: JsonSchema[] = [];
JSON.stringify(document, (_, value) => {
  if (value?.anyOf !== undefined) unions.push(value);
  return value;
});

const resolved = (schema: JsonSchema) =>
  schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
const wordsOf = (schema: JsonSchema) =>
  Object.entries(resolved(schema).properties ?? {}).flatMap(([name, { const: word }]) =>
    typeof word === "string" ? [name] : [],
  );

describe("a union in the document", () => {
  test("names the field that tells its members apart, wherever they have one", () => {
    const apart = unions.filter(({ anyOf = [] }) => {
      const [first = [], ...others] = anyOf.map(wordsOf);
      return first.some((name) => others.every((words) => words.includes(name)));
    });
    expect(apart.length).toBeGreaterThan(1);
    expect(apart.filter(({ discriminator }) => discriminator === undefined)).toEqual([]);
    for (const { anyOf = [], discriminator } of apart) {
      const members = anyOf.map(({ $ref }) => $ref).sort();
      expect(Object.values(discriminator?.mapping ?? {}).sort()).toEqual(members);
      for (const [word, $ref] of Object.entries(discriminator?.mapping ?? {})) {
        expect(resolved({ $ref }).properties?.[discriminator?.propertyName ?? ""]?.const).toBe(word);
      }
    }
    expect(schemas["CreateImport"]?.properties?.["source"]?.discriminator).toMatchObject({
      propertyName: "type",
      mapping: { paste: "#/components/schemas/PasteSource" },
    });
  });

  test("has several members", () => {
    expect(unions.filter(({ anyOf = [] }) => anyOf.length < 2)).toEqual([]);
    expect(schemas["AddItem"]?.properties?.["id"]?.anyOf).toMatchObject([
      { maxLength: 104 },
      { maxLength: 64 },
      { pattern: expect.stringContaining("pst_") },
    ]);
  });
});
