import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { nameFiles } from "./test-files.ts";

let place: string;
beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), "promptreg-tests-")));
  await mkdir(join(place, "shop/.git"), { recursive: true });
  await writeFile(join(place, "shop/.git/HEAD"), "ref: refs/heads/main\n");
  await mkdir(join(place, "shop/evals/refunds"), { recursive: true });
  for (const path of ["evals/a.test.ts", "evals/refunds/b.test.ts", "b.test.ts"])
    await writeFile(join(place, "shop", path), "");
});
afterAll(() => rm(place, { recursive: true }));

const namesIn = (folder: string, paths: readonly string[]) => {
  using _ = vi.spyOn(process, "cwd").mockReturnValue(join(place, folder));
  return paths.map(nameFiles(paths));
};
const ran = (root: string) => [`${root}/evals/a.test.ts`, `${root}/evals/refunds/b.test.ts`];
const named = ["evals/a.test.ts", "evals/refunds/b.test.ts"];

describe("a file of tests is named", () => {
  test.each(["", "shop", "shop/evals"])("by its path in its work tree, from the folder '%s'", (folder) => {
    expect(namesIn(folder, ran(join(place, "shop")))).toEqual(named);
    expect(namesIn(folder, ran(join(place, "shop")).slice(1))).toEqual(named.slice(1));
  });

  test.each(["/home/runner/work/shop/shop", "D:/a/shop/shop", "D:\\a\\shop\\shop", "/root/shop"])(
    "as here, if it ran in %s of another machine",
    (root) => {
      const gone = `${root}/evals/gone.test.ts`;
      for (const folder of ["shop", "shop/evals"])
        expect(namesIn(folder, [gone, ...ran(root)])).toEqual(["evals/gone.test.ts", ...named]);
    },
  );

  test("by what its path does not have in common with the others, if nothing is known of it", () => {
    expect(namesIn("", ran("/app"))).toEqual(["a.test.ts", "refunds/b.test.ts"]);
    expect(namesIn("", ["/app/evals/a.test.ts"])).toEqual(["a.test.ts"]);
    expect(namesIn("", ["/a.test.ts", "/b.test.ts"])).toEqual(["a.test.ts", "b.test.ts"]);
    expect(namesIn("shop", ["/app/evals/a.test.ts", "/other/c.test.ts"])).toEqual([
      "evals/a.test.ts",
      "c.test.ts",
    ]);
  });

  test("as it is, if its path is none", () => {
    const odd = ["tests", "", "../a.test.ts", `/${"x".repeat(5_000)}`, "/a\0b", "//host/share/a.test.ts"];
    expect(namesIn("shop", odd)).toEqual([
      "tests",
      "",
      "../a.test.ts",
      "x".repeat(5_000),
      "a\0b",
      "/host/share/a.test.ts",
    ]);
  });
});
