import { readdirSync, readFileSync } from "node:fs";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import * as core from "../index.ts";
import { groups, idPrefixes } from "./groups.ts";
import { limits } from "./limits.ts";

const { contract, events, listOperations, mediaList, notificationCatalogue } = core;

/** All schemas of the API, printed. */
const printed = JSON.stringify(
  [
    ...Object.values(events).map(({ data }) => data),
    ...listOperations(contract).flatMap(({ operation: { params, query, body, results } }) => [
      params,
      query,
      ...[...mediaList(body), ...Object.values(results).flatMap((media) => mediaList(media))].map((medium) =>
        "schema" in medium ? medium.schema : undefined,
      ),
    ]),
  ]
    .filter((schema) => schema !== undefined)
    .map((schema) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })),
);

describe("groups", () => {
  test("declare the prefix of every id, each in one group", () => {
    const used = new Set(Array.from(printed.matchAll(/\^([a-z]+)_\[0-9a-hjkmnp/g), ([, prefix]) => prefix));
    expect(idPrefixes).toEqual([...new Set(idPrefixes)]);
    expect(idPrefixes).toEqual(expect.arrayContaining([...used]));
    expect([...used].sort()).toEqual([...idPrefixes].sort());
  });

  test("name a schema in documents as they export it", () => {
    const named = Object.entries(core).flatMap(([name, value]) => {
      const id = value instanceof z.ZodType ? value.meta()?.id : undefined;
      return id === undefined ? [] : [[name, id]];
    });
    const others = named.filter(([name, id]) => name?.toLowerCase() !== id?.toLowerCase());
    expect(others).toEqual([["VersionFile", "File"]]);
  });

  test.each(["events", "notifications", "limits"] as const)("declare %s with unique names", (part) => {
    const all = { events, notifications: notificationCatalogue, limits };
    const names = Object.values(groups).flatMap((group) =>
      part in group ? Object.keys(group[part as never]) : [],
    );
    expect(names.sort()).toEqual(Object.keys(all[part]).sort());
  });

  test("are published whole: everything that the index of their operations exports, and their errors", () => {
    const source = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
    const from = (code: string, pattern: RegExp) =>
      Array.from(code.matchAll(pattern), ([, path]) => path).sort();
    const files = readdirSync(new URL("../groups", import.meta.url), { recursive: true, encoding: "utf8" });
    const folders = files
      .filter((path) => path.endsWith("/group.ts"))
      .map((path) => path.replace("/group.ts", ""));
    const indexes = folders.map((name) =>
      files.includes(`${name}/index.ts`) ? `./${name}/index.ts` : `./${name}/${name}.ts`,
    );
    expect(Object.keys(groups)).toHaveLength(folders.length);
    expect(from(source("groups/index.ts"), /^export \* from "(.*)"/gm)).toEqual(indexes.sort());

    const withErrors = files.filter((path) => path.endsWith("/errors.ts"));
    expect(from(source("catalogue/errors.ts"), /"\.\.\/groups\/(.*\/errors\.ts)"/g)).toEqual(
      withErrors.sort(),
    );
  });
});
