import { afterAll, describe, expect, test } from "vitest";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { make, put, yank, label } = labelling(registry);

describe("label rollback", () => {
  const rollback = (slug: string, ...options: string[]) =>
    label("rollback", `ada/${slug}`, "production", "--yes", ...options);

  test("goes back one move farther each time, and says so in the history", async () => {
    await make("back", 3);
    for (const n of [1, 2, 3]) await put("back", "production", n);
    expect((await rollback("back")).stdout).toBe("ada/back production: 3 → 2\n");
    expect((await rollback("back", "--reason", "Wrong tone")).stdout).toBe("ada/back production: 2 → 1\n");
    expect((await label("history", "ada/back", "production", "--limit", "2")).stdout).toMatch(
      /2 → 1\tada\tRolled back from version 2: Wrong tone\n.*3 → 2\tada\tRolled back from version 3\n$/,
    );
    const end = await rollback("back");
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain("ada/back production is at its first version, 1.");
  });

  test("never goes to what was rolled back before", async () => {
    await make("detour", 4);
    for (const n of [1, 2, 3]) await put("detour", "production", n);
    expect((await rollback("detour", "--reason", "Too long")).stdout).toContain("3 → 2");
    await put("detour", "production", 4);
    expect((await rollback("detour")).stdout).toContain("4 → 2");
    expect((await rollback("detour")).stdout).toContain("2 → 1");
  });

  test("goes to where the label stood, also if it has been there before, and says why", async () => {
    await make("again", 6);
    for (const n of [1, 6, 5, 6]) await put("again", "production", n);
    const { stdout, stderr } = await rollback("again");
    expect(stdout).toBe("ada/again production: 6 → 5\n");
    expect(stderr).toMatch(/^production stood at version 5 before it moved to version 6, just now by ada$/m);
    expect((await rollback("again")).stdout).toContain("5 → 6");
    expect((await rollback("again")).stdout).toContain("6 → 1");
  });

  test("passes over versions that were yanked, and says so", async () => {
    await make("yanked", 3);
    for (const n of [1, 2, 3]) await put("yanked", "production", n);
    await yank("yanked", 2);
    const { stdout, stderr } = await rollback("yanked");
    expect(stderr).toContain("Version 2 is yanked and cannot be labelled");
    expect(stdout).toBe("ada/yanked production: 3 → 1\n");
    expect(await rollback("yanked", "--to", "2")).toMatchObject({ exitCode: 5, stdout: "" });
  });

  test("brings a label back that was removed", async () => {
    await make("revived", 2);
    for (const n of [1, 2]) await put("revived", "production", n);
    await label("remove", "ada/revived", "production", "--yes");
    expect((await rollback("revived")).stdout).toBe("ada/revived production: none → 2\n");
    expect((await rollback("revived")).stdout).toBe("ada/revived production: 2 → 1\n");
  });

  test("passes over a removal, once the label is back where it was", async () => {
    await make("recreated", 2);
    for (const n of [1, 2]) await put("recreated", "production", n);
    await label("remove", "ada/recreated", "production", "--yes");
    await put("recreated", "production", 2);
    expect((await rollback("recreated")).stdout).toBe("ada/recreated production: 2 → 1\n");
  });

  test("goes to any version where the label has been, and to no other", async () => {
    await make("farther", 4);
    for (const n of [1, 2, 3]) await put("farther", "production", n);
    expect(await rollback("farther", "--to", "4")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("production of ada/farther never pointed to version 4"),
    });
    expect((await rollback("farther", "--to", "1")).stdout).toBe("ada/farther production: 3 → 1\n");
  });

  test("shows what it changes and asks, as a move does", async () => {
    await make("wary", 2);
    for (const n of [1, 2]) await put("wary", "production", n);
    const args = ["label", "rollback", "ada/wary", "production"];
    const { asked, stderr } = await registry.cli(args, { answers: [false] });
    expect(stderr).toContain("\n-Version 2\n+Version 1\n");
    expect(asked).toEqual(["Move production of ada/wary from version 2 to 1?"]);
  });
});
