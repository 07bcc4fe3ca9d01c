import { afterAll, describe, expect, test } from "vitest";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { make, put, yank } = labelling(registry);

describe("resolve", () => {
  const resolve = async (...args: string[]) =>
    JSON.parse((await registry.cli(["resolve", ...args, "--json"])).stdout);

  test("tells what an application gets, and since when", async () => {
    await make("resolved", 2);
    const { updatedAt } = await put("resolved", "production", 1, "Good evals");
    expect(await resolve("ada/resolved@production")).toMatchObject({
      ref: "ada/resolved",
      resolvedBy: { type: "label", value: "production" },
      versionNumber: 1,
      contentHash: expect.stringMatching(/^sha256:/),
      yanked: false,
      etag: expect.stringMatching(/^".*"$/),
      since: updatedAt,
    });
    expect(await resolve("ada/resolved")).toMatchObject({ versionNumber: 2, since: null });
    const { stdout } = await registry.cli(["resolve", "ada/resolved@production"]);
    expect(stdout).toMatch(
      /^prompt\tada\/resolved\nasked for\tproduction\nversion\t1\nmade\t.*\nlabelled\t.* by ada: Good evals\nhash\tsha256:.*\netag\t.*\n$/,
    );
  });

  test("tells what one got at another time", async () => {
    await make("past", 2);
    const { updatedAt: first } = await put("past", "production", 1);
    await registry.clock.advance(3_600_000);
    await put("past", "production", 2);
    expect(await resolve("ada/past@production", "--at", first)).toMatchObject({
      versionNumber: 1,
      at: first,
      since: first,
    });
    // Our own clock tells how long ago a moment was: what the registry did an hour from now was not yet.
    expect(await resolve("ada/past@production", "--at", "0m")).toMatchObject({ versionNumber: 1 });
    expect((await registry.cli(["resolve", "ada/past@production", "--at", "2d"])).exitCode).toBe(4);
  });

  test.each([
    [["ada/past", "--at", "2h"], "--at needs a label"],
    [["ada/past@production", "--at", "yesterday"], "Write a time with its offset"],
    [["ada/past@production", "--at", "2026-11-20T09:30"], "Write a time with its offset"],
    [["ada/past@production", "--at", "2026-13-20"], "Write a time with its offset"],
  ])("refuses %j as a mistake", async (args, message) => {
    const { exitCode, stderr } = await registry.cli(["resolve", ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  test("says that a version was yanked, and when there is none left", async () => {
    await make("none", 1);
    await yank("none", 1);
    expect(await resolve("ada/none@1")).toMatchObject({ versionNumber: 1, yanked: true });
    const { exitCode, stderr } = await registry.cli(["resolve", "ada/none"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: expect.stringContaining(
        "ada/none has no version to use: it is a draft, or every version is yanked.",
      ),
    });
  });
});
