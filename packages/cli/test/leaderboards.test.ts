import { afterAll, expect, test } from "vitest";
import { startRegistry } from "./registry.ts";

// A worker counts boards, once an hour.
const registry = await startRegistry();
afterAll(() => registry.close());

const items = [
  { rank: 1, previousRank: 2, score: 11, entity: { ref: "ada/greet" } },
  { rank: 2, previousRank: null, score: 9, entity: { slug: "a-bot", maker: { handle: "ada" } } },
  { rank: 3, previousRank: 3, score: 6, entity: { handle: "ada", url: "http://registry/ada" } },
  { rank: 4, previousRank: 4, score: 0.9467, entity: { prompt: { ref: "ada/judged" }, run: {} } },
];

test("a leaderboard shows ranks, scores and the names that other commands take", async () => {
  registry.answer("GET /leaderboards/prompts?limit=20", { json: { items, nextCursor: null } });
  const { exitCode, stdout } = await registry.cli(["leaderboard"]);
  expect(exitCode).toBe(0);
  expect(stdout.split("\n").map((line) => line.trim().split(/\s+/))).toEqual(
    expect.arrayContaining([
      ["1", "2", "ada/greet", "11"],
      ["2", "make:a-bot", "9"],
      ["3", "3", "ada", "6"],
      ["4", "4", "ada/judged", "0.95"],
    ]),
  );
});

test("a leaderboard takes what it is asked for", async () => {
  registry.answer("GET /leaderboards/evals?window=all&kind=text&tag=poem&limit=5", {
    json: { items: [], nextCursor: null },
  });
  const args = ["--window", "all", "--kind", "text", "--tag", "poem", "--limit", "5"];
  const { exitCode, stderr } = await registry.cli(["leaderboard", "evals", ...args]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Nothing is on this board.")]);
  expect((await registry.cli(["leaderboard", "posts"])).exitCode).toBe(2);
});
