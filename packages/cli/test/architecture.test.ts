import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";

const sources = join(import.meta.dirname, "../src");

/** Every source file with what it imports of the others, types included, by their paths below `src`. */
const imports = new Map(
  readdirSync(sources, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => [file, importsOf(file)]),
);

function importsOf(file: string): string[] {
  const code = readFileSync(join(sources, file), "utf8");
  return [...code.matchAll(/(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g)].map(([, path = ""]) =>
    posix.join(posix.dirname(file), path),
  );
}

/** Folders that hold no noun, the lowest first: each may import itself and those before it. */
const layers = ["terminal", "disk", "requests", "settings", "grammar"];
/** Files at the root that everything may import. */
const basics = ["errors.ts", "exit-codes.ts", "version.ts"];

const folderOf = (file: string) => (dirname(file) === "." ? "" : (file.split("/")[0] ?? ""));
const isNoun = (folder: string) => !["", "http", ...layers].includes(folder);

/** Every import that breaks a rule, as `file -> import`. */
const offences = (isOffence: (file: string, imported: string) => boolean) =>
  [...imports].flatMap(([file, all]) =>
    all.filter((imported) => isOffence(file, imported)).map((imported) => `${file} -> ${imported}`),
  );

describe("who knows whom:", () => {
  test("this test sees imports of every form", () => {
    expect(imports.get("run.ts")).toEqual(expect.arrayContaining(["program.ts", "terminal/output.ts"]));
    expect(imports.get("labels/grammar.ts")).toContain("labels/move.ts");
    expect(imports.get("terminal/table.ts")).toEqual([]);
    expect(offences((_, imported) => !imports.has(imported))).toEqual([]);
  });

  test("no file imports itself in a circle, not even its types", () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      if (path.includes(file) || done.has(file)) return;
      for (const imported of imports.get(file) ?? []) walk(imported, [...path, file]);
      done.add(file);
    };
    for (const file of imports.keys()) walk(file, []);
    expect(circles).toEqual([]);
  });

  test("a noun imports another noun through its index.ts alone", () => {
    const broken = offences((file, imported) => {
      const [own, other] = [folderOf(file), folderOf(imported)];
      return isNoun(own) && isNoun(other) && own !== other && imported !== `${other}/index.ts`;
    });
    expect(broken).toEqual([]);
  });

  test("only these nouns build on another noun", () => {
    const pairs = [...imports].flatMap(([file, all]) =>
      all
        .filter((imported) => isNoun(folderOf(file)) && isNoun(folderOf(imported)))
        .map((imported) => `${folderOf(file)} -> ${folderOf(imported)}`)
        .filter((pair) => new Set(pair.split(" -> ")).size > 1),
    );
    expect([...new Set(pairs)].sort()).toEqual([
      "account -> folders",
      "account -> makes",
      "account -> media",
      "account -> posts",
      "changes -> prompts",
      "collections -> media",
      "comments -> votes",
      "completion -> api",
      "completion -> installs",
      "evals -> prompts",
      "examples -> media",
      "examples -> votes",
      "folders -> collections",
      "folders -> prompts",
      "installs -> collections",
      "labels -> evals",
      "labels -> prompts",
      "locked -> collections",
      "makes -> media",
      "posts -> media",
      "posts -> votes",
    ]);
  });

  test.each(layers)("%s imports no noun, and nothing that lies above it", (layer) => {
    const below = layers.slice(0, layers.indexOf(layer) + 1);
    const broken = offences(
      (file, imported) =>
        folderOf(file) === layer && !below.includes(folderOf(imported)) && !basics.includes(imported),
    );
    expect(broken).toEqual([]);
  });

  test("nothing in a folder imports the program", () => {
    const broken = offences(
      (file, imported) => folderOf(file) !== "" && folderOf(imported) === "" && !basics.includes(imported),
    );
    expect(broken).toEqual([]);
  });

  test("the program imports of each noun nothing but its grammar", () => {
    const broken = offences(
      (file, imported) =>
        folderOf(file) === "" && isNoun(folderOf(imported)) && !imported.endsWith("/grammar.ts"),
    );
    expect(broken).toEqual([]);
  });
});
