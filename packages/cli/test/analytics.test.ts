import { afterAll, expect, test } from "vitest";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterAll(() => registry.close());

// As a registry sends them: the shortest name first.
const none = {
  forks: 0,
  opens: 0,
  stars: 0,
  views: 0,
  comments: 0,
  installs: 0,
  rawReads: 0,
  downloads: 0,
  uniqueViews: 0,
};
const range = { from: "2026-11-01", to: "2026-11-02", interval: "day" };
const series = [
  { at: "2026-11-01T00:00:00.000Z", ...none, views: 40, rawReads: 1 },
  { at: "2026-11-02T00:00:00.000Z", ...none, views: 1 },
];
const totals = { ...none, views: 41, rawReads: 1 };

test("analytics draw a bar for each interval, the longest for the most", async () => {
  const answered = {
    range,
    totals,
    series,
    topPrompts: [{ prompt: { ref: "ada/greet", title: "Greet" }, ...none, views: 41 }],
  };
  registry.answer("GET /me/analytics?interval=day", { json: answered });
  const { stdout, exitCode } = await registry.cli(["analytics"]);
  expect(exitCode).toBe(0);
  expect(stdout.match(/^[a-z ]+(?=\t\d+$)/gm)).toEqual(
    "views|unique views|raw reads|downloads|installs|opens|stars|forks|comments".split("|"),
  );
  expect(stdout).toContain(`2026-11-01\t40\t${"█".repeat(40)}`);
  expect(stdout).toMatch(/2026-11-02\t1\t█$/m);
  expect(stdout).toContain("ada/greet\t41\t0\t0\tGreet");
});

test("analytics of a prompt by referrer are CSV that no spreadsheet runs", async () => {
  const breakdown = [
    { key: "=cmd()", ...none, views: 3 },
    { key: "\tcmd()", ...none, views: 2 },
    { key: "\rcmd()", ...none, views: 2 },
    { key: "a-b.example", ...none, views: 1 },
  ];
  registry.answer(
    "GET /prompts/ada/greet/analytics?from=2026-11-01&to=2026-11-02&interval=week&groupBy=referrer",
    { json: { range, totals, series, breakdown } },
  );
  const words = "analytics ada/greet --from 2026-11-01 --to 2026-11-02 --interval week --by referrer";
  const { stdout } = await registry.cli([...words.split(" "), "--csv"]);
  expect(stdout.split("\n")).toEqual([
    "referrer,views,uniqueViews,rawReads,downloads,installs,opens,stars,forks,comments",
    "'=cmd(),3,0,0,0,0,0,0,0,0",
    "'\tcmd(),2,0,0,0,0,0,0,0,0",
    '"\'\rcmd()",2,0,0,0,0,0,0,0,0',
    "a-b.example,1,0,0,0,0,0,0,0,0",
    "",
  ]);
  expect(JSON.parse((await registry.cli([...words.split(" "), "--json"])).stdout).breakdown).toEqual(
    breakdown,
  );
  expect((await registry.cli([...words.split(" "), "--csv", "--json"])).exitCode).toBe(2);
});

test.each([
  ["format", "downloads", "tar.gz\t7"],
  ["target", "installs", "tar.gz\t5"],
  ["referrer", "views", "tar.gz\t3"],
])("analytics by %s show %s, unless another figure is asked for", async (part, metric, row) => {
  const breakdown = [{ key: "tar.gz", ...none, views: 3, installs: 5, downloads: 7, opens: 9 }];
  registry.answer(`GET /prompts/ada/greet/analytics?interval=day&groupBy=${part}`, {
    json: { range, totals, series, breakdown },
  });
  const { stdout } = await registry.cli(["analytics", "ada/greet", "--by", part]);
  expect(stdout).toContain(`${metric} by ${part}`);
  expect(stdout).toContain(row);
  const asked = await registry.cli(["analytics", "ada/greet", "--by", part, "--metric", "opens"]);
  expect(asked.stdout).toContain("tar.gz\t9");
});

test("analytics of one make say where its figures are", async () => {
  const { exitCode, stderr } = await registry.cli(["analytics", "make:a-bot"]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("All your prompts and makes together: promptreg analytics\n"),
  ]);
});

test.each([
  ["--from", "2026-02-30"],
  ["--to", "today"],
  ["--interval", "year"],
  ["--metric", "clicks"],
  ["--by", "version"],
])("analytics refuse %s %s as a mistake in their use", async (...words) => {
  expect((await registry.cli(["analytics", ...words])).exitCode).toBe(2);
});
