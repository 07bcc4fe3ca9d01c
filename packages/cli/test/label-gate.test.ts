import { afterAll, describe, expect, test } from "vitest";
import { evaluating } from "./evaluated.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { client, make, put, whereIs } = labelling(registry);
const { dataset, addCase, report } = evaluating(client);

const move = (slug: string, ...options: string[]) =>
  registry.cli([
    "label",
    "move",
    `ada/${slug}`,
    "production",
    "2",
    "--require-eval",
    "smoke",
    ...options,
    "-y",
  ]);
const lastReason = async (slug: string) => {
  const moves = await client.prompts.labels.history({ owner: "ada", slug, name: "production" });
  return moves.items[0]?.reason;
};

/** A prompt with two versions, of which production is at the first, and a dataset. */
async function staged(slug: string) {
  await make(slug, 3);
  await put(slug, "production", 1);
  return dataset(slug, "smoke");
}

describe("label move --require-eval", () => {
  test("moves on the evidence of a run, which the reason of the move names", async () => {
    await staged("proven");
    const run = await report("proven", 2, { passed: 15, dataset: "smoke" });
    const { exitCode, stderr, stdout } = await move("proven", "--reason", "Kinder");
    expect(stderr).toMatch(
      /^evals on dataset smoke, revision 1\n {2}model +passed +needed +verdict +run +compared with\n/,
    );
    expect(stderr).toMatch(new RegExp(`\\n {2}m +75% +50% +pass +${run.id} +none\\n`));
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "ada/proven production: 1 → 2\n" });
    expect(await lastReason("proven")).toBe(`Kinder (evals on revision 1: ${run.id})`);
  });

  test("gives the evidence to programs", async () => {
    await staged("told");
    const run = await report("told", 2, { passed: 20, dataset: "smoke" });
    const { stdout } = await move("told", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      status: "moved",
      evidence: {
        dataset: { name: "smoke" },
        threshold: null,
        items: [{ model: "m", run: { id: run.id }, failures: [] }],
      },
    });
    expect(await lastReason("told")).toBe(`evals on revision 1: ${run.id}`);
  });

  test("refuses a run whose verdict is fail, with exit code 8", async () => {
    await staged("failed");
    const run = await report("failed", 2, { passed: 9, dataset: "smoke" });
    const { exitCode, stderr } = await move("failed");
    expect(exitCode).toBe(8);
    expect(stderr).toContain(
      `error: The label was not moved. The run of model m is not good enough: its pass rate is 45%, and 50% are needed. See what failed: promptreg eval show ${run.id}\n`,
    );
    expect(await whereIs("failed", "production")).toBe(1);
  });

  test("refuses a run whose heaviest case failed, however many others passed", async () => {
    const { id } = await staged("heavy");
    const cases = [
      { key: "case-03", weight: 9 },
      ...["case-00", "case-01", "case-02"].map((key) => ({ key, weight: 0.1 })),
    ];
    await client.evals.datasets.cases.create({
      id,
      body: { cases: cases.map((one) => ({ ...one, variables: {} })) },
    });
    const run = await report("heavy", 2, { passed: 3, cases: 4, dataset: "smoke" });
    const { exitCode, stderr } = await move("heavy");
    expect([exitCode, stderr]).toEqual([
      8,
      expect.stringContaining("its pass rate is 3.2%, and 50% are needed"),
    ]);
    const { stdout } = await registry.cli(["eval", "show", run.id]);
    expect(stdout).toMatch(/^pass rate\s+3\.2% by weight, 50% needed$/m);
  });

  test("refuses a run whose cases all weigh 0, since nothing counts", async () => {
    const { id } = await staged("weightless");
    await client.evals.datasets.cases.create({
      id,
      body: { cases: [{ key: "case-00", variables: {}, weight: 0 }] },
    });
    await report("weightless", 2, { passed: 1, cases: 1, dataset: "smoke" });
    const { exitCode, stderr } = await move("weightless");
    expect([exitCode, stderr]).toEqual([
      11,
      expect.stringContaining("The run of model m has no pass rate: all of its cases have the weight 0."),
    ]);
    expect(await whereIs("weightless", "production")).toBe(1);
  });

  test("holds the pass rate against --threshold instead of the verdict", async () => {
    await staged("held");
    await report("held", 2, { passed: 18, dataset: "smoke" });
    const { exitCode, stderr } = await move("held", "--threshold", "0.91");
    expect(exitCode).toBe(8);
    expect(stderr).toContain("its pass rate is 90%, and 91% are needed.");
    expect((await move("held", "--threshold", "0.9")).exitCode).toBe(0);
  });

  test.each([
    ["there is no run", async () => {}, "Version 2 has no completed run on dataset smoke."],
    [
      "the run is not completed",
      (slug: string) => report(slug, 2, { passed: 20, dataset: "smoke", isCompleted: false }),
      "Version 2 has no completed run on dataset smoke.",
    ],
    [
      "the run is of no dataset",
      (slug: string) => report(slug, 2, { passed: 20 }),
      "Version 2 has no completed run on dataset smoke.",
    ],
    [
      "the run is of another version",
      (slug: string) => report(slug, 3, { passed: 20, dataset: "smoke" }),
      "Version 2 has no completed run on dataset smoke.",
    ],
    [
      "production has evidence of a model that the version has none of",
      async (slug: string) => {
        await report(slug, 1, { passed: 20, dataset: "smoke", model: "it's big" });
        await report(slug, 2, { passed: 20, dataset: "smoke" });
      },
      "Version 2 has no completed run with model it's big on dataset smoke. Report one: promptreg eval report <files…> --prompt ada/SLUG@2 --dataset smoke --model 'it'\\''s big'",
    ],
  ])("refuses with exit code 11 and says what to report, if %s", async (what, prepare, message) => {
    const slug = what
      .replace(/[^a-z]+/g, "-")
      .slice(0, 60)
      .replace(/-$/, "");
    await staged(slug);
    await prepare(slug);
    const { exitCode, stderr } = await move(slug);
    expect(stderr).toContain(`error: The label was not moved. ${message.replace("SLUG", slug)}`);
    expect(stderr).toContain(
      `Report one: promptreg eval report <files…> --prompt ada/${slug}@2 --dataset smoke`,
    );
    expect({ exitCode, at: await whereIs(slug, "production") }).toEqual({ exitCode: 11, at: 1 });
  });

  test.each([
    [
      "a run without results, whose tool reported pass",
      { passed: 0, cases: 0, verdict: "pass" },
      11,
      "has no results",
    ],
    [
      "a run in which all failed, whose tool reported pass",
      { passed: 0, verdict: "pass" },
      8,
      "its pass rate is 0%, and 50% are needed",
    ],
    [
      "a run in which a case errored, whose tool reported pass",
      { passed: 19, errored: 1, verdict: "pass" },
      8,
      "1 of its results errored",
    ],
    ["a run of which the tool reported fail", { passed: 20, verdict: "fail" }, 8, "its verdict is fail"],
  ] as const)("refuses %s", async (what, reported, code, sentence) => {
    const slug = what.replace(/[^a-z]+/g, "-");
    await staged(slug);
    await report(slug, 2, { ...reported, dataset: "smoke" });
    const { exitCode, stderr } = await move(slug);
    expect(stderr).toContain(sentence);
    expect({ exitCode, at: await whereIs(slug, "production") }).toEqual({ exitCode: code, at: 1 });
  });

  test("believes a tool that reported fail less than a threshold of the caller's own", async () => {
    await staged("own-threshold");
    await report("own-threshold", 2, { passed: 19, errored: 1, verdict: "fail", dataset: "smoke" });
    expect((await move("own-threshold", "--threshold", "0.95")).exitCode).toBe(0);
  });

  test.each([
    ["left out", { passed: 2, cases: 2 }],
    ["skipped", { passed: 2, skipped: 1, cases: 3 }],
  ])(
    "refuses a run in which a case of the dataset was %s, whatever the threshold",
    async (what, reported) => {
      const slug = `gap-${what.replace(" ", "-")}`;
      const smoke = await staged(slug);
      for (const key of ["a", "b", "c"]) await addCase(smoke, key);
      await report(slug, 2, { ...reported, dataset: "smoke" });
      const { exitCode, stderr } = await move(slug, "--threshold", "0.5");
      expect(stderr).toContain(
        `The run of version 2 with model m has results of 2 of the 3 cases of dataset smoke. Report one: promptreg eval report <files…> --prompt ada/${slug}@2 --dataset smoke --model m`,
      );
      expect({ exitCode, at: await whereIs(slug, "production") }).toEqual({ exitCode: 11, at: 1 });
      await report(slug, 2, { passed: 3, cases: 3, dataset: "smoke" });
      expect((await move(slug)).exitCode).toBe(0);
    },
  );

  test("takes a run of a single case, if the dataset has no more", async () => {
    const smoke = await staged("single");
    await addCase(smoke, "a");
    await report("single", 2, { passed: 1, cases: 1, dataset: "smoke" });
    expect((await move("single")).exitCode).toBe(0);
  });

  test("refuses a run of an earlier revision of the dataset", async () => {
    const smoke = await staged("outdated");
    await report("outdated", 2, { passed: 20, dataset: "smoke" });
    await addCase(smoke, "new");
    const { exitCode, stderr } = await move("outdated");
    expect(exitCode).toBe(11);
    expect(stderr).toContain(
      "The latest run of version 2 with model m is of revision 1 of dataset smoke, which is at revision 2 now. Report one:",
    );
  });

  test("counts each model of the label's present version, and with --model one alone", async () => {
    await staged("models");
    for (const model of ["large", "small"])
      await report("models", 1, { passed: 20, dataset: "smoke", model });
    await report("models", 2, { passed: 20, dataset: "smoke", model: "large" });
    await report("models", 2, { passed: 2, dataset: "smoke", model: "small" });
    await report("models", 2, { passed: 2, dataset: "smoke", model: "not in use" });
    const { exitCode, stderr } = await move("models");
    expect(exitCode).toBe(8);
    expect(stderr).toContain("The run of model small is not good enough: its pass rate is 10%");
    expect(stderr).not.toContain("not in use");
    expect((await move("models", "--model", "large")).exitCode).toBe(0);
  });

  test.each([["never made"], ["deleted"], ["hidden"]])(
    "does not find a dataset that was %s",
    async (what) => {
      const slug = `dataset-${what.replace(" ", "-")}`;
      await make(slug, 2);
      await put(slug, "production", 1);
      if (what === "deleted") {
        const { id } = await dataset(slug, "smoke");
        await client.evals.datasets.delete({ id });
      }
      const bob = what === "hidden" ? await registry.createAccount("bob") : undefined;
      if (bob) await dataset(slug, "smoke");
      const { exitCode, stderr } = await registry.cli(
        ["label", "move", `ada/${slug}`, "production", "2", "--require-eval", "smoke", "-y"],
        bob ? { env: { PROMPTREG_TOKEN: bob.token } } : {},
      );
      expect(exitCode).toBe(4);
      expect(stderr).toContain(`ada/${slug} has no dataset smoke, or you cannot see it.`);
    },
  );

  test("asks for no evidence where nothing is moved", async () => {
    await staged("there");
    await put("there", "production", 2);
    expect(await move("there")).toMatchObject({
      exitCode: 0,
      stdout: "ada/there production is already at version 2\n",
    });
  });

  test("keeps the ids of the runs whole in a reason of limited length", async () => {
    await staged("long");
    const run = await report("long", 2, { passed: 20, dataset: "smoke" });
    const refused = await move("long", "--reason", "r".repeat(250));
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--reason must leave room"),
    });
    const evals = ` (evals on revision 1: ${run.id})`;
    await move("long", "--reason", "r".repeat(280 - evals.length));
    expect(await lastReason("long")).toBe(`${"r".repeat(280 - evals.length)}${evals}`);
  });

  test("names as many runs as fit, and how many there are beside them", async () => {
    await staged("many");
    for (let n = 1; n <= 12; n += 1)
      await report("many", 2, { passed: 20, dataset: "smoke", model: `m${n}` });
    await move("many");
    expect(await lastReason("many")).toMatch(/^evals on revision 1: (run_\w{26}, ){6}run_\w{26} and 5 more$/);
  });

  test("moves nothing if a colleague moved the label while the evidence was read", async () => {
    await staged("raced");
    await report("raced", 2, { passed: 20, dataset: "smoke" });
    const args = ["label", "move", "ada/raced", "production", "2", "--require-eval", "smoke", "-y"];
    let isMoved = false;
    const late = await registry.cli(args, {
      async fetch(url, init) {
        const { pathname } = new URL(url instanceof Request ? url.url : String(url));
        const response = await registry.fetch(url, init);
        if (pathname.endsWith("/evals/scores") && !isMoved) {
          isMoved = true;
          await put("raced", "production", 3);
        }
        return response;
      },
    });
    expect(late).toMatchObject({ exitCode: 5, stdout: "" });
    expect(late.stderr).toContain("The label production points to version 3. You expected version 1.");
    expect(await whereIs("raced", "production")).toBe(3);
  });

  test.each([
    [["--no-regression"], "--no-regression, --threshold and --model need --require-eval <dataset>."],
    [["--require-eval", "smoke", "--max-drop", "0.1"], "--max-drop needs --no-regression."],
  ])("is needed by the other options: %j", async (options, message) => {
    const { exitCode, stderr } = await registry.cli([
      "label",
      "move",
      "ada/x",
      "production",
      "2",
      ...options,
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `error: ${message}\n` });
  });

  test("says in its help that the registry is not bound by it", async () => {
    const { stdout } = await registry.cli(["label", "move", "--help"]);
    expect(stdout.replaceAll("\n", " ")).toContain("This binds the command and not the registry");
  });
});

describe("label move --no-regression", () => {
  test("refuses a version that got worse than the label's present one, with exit code 10", async () => {
    await staged("worse");
    const before = await report("worse", 1, { passed: 20, dataset: "smoke" });
    const run = await report("worse", 2, { passed: 12, dataset: "smoke" });
    const { exitCode, stderr } = await move("worse", "--no-regression");
    expect(exitCode).toBe(10);
    expect(stderr).toMatch(new RegExp(` ${before.id}\\n`));
    expect(stderr).toContain("The label was not moved. Model m: Regression: ");
    expect(stderr).toContain(`See the cases: promptreg eval compare ${before.id} ${run.id}`);
    expect(await whereIs("worse", "production")).toBe(1);
    expect((await move("worse", "--no-regression", "--max-drop", "0.5")).exitCode).toBe(0);
  });

  test("lets noise pass, and what got better", async () => {
    await staged("noise");
    await report("noise", 1, { passed: 20, dataset: "smoke" });
    await report("noise", 2, { passed: 19, dataset: "smoke" });
    expect(await move("noise", "--no-regression")).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("  m: No regression: "),
    });
  });

  test("refuses with 10 before 8, and names both", async () => {
    await staged("both");
    await report("both", 1, { passed: 20, dataset: "smoke" });
    await report("both", 2, { passed: 2, dataset: "smoke" });
    const { exitCode, stderr } = await move("both", "--no-regression", "--json");
    const { error } = JSON.parse(stderr.slice(stderr.indexOf('{\n  "error"')));
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 10, code: "regression" });
    expect(error.message).toContain("Regression: ");
    expect(error.details).toMatchObject([{ message: expect.stringContaining("its pass rate is 10%") }]);
  });

  test("refuses with 11 if the present version has no run to compare with, or one of other cases", async () => {
    const smoke = await staged("uncompared");
    await report("uncompared", 2, { passed: 20, dataset: "smoke" });
    const missing = await move("uncompared", "--no-regression");
    expect(missing.exitCode).toBe(11);
    expect(missing.stderr).toContain(
      "Version 1 has no completed run with model m on dataset smoke. Report one: promptreg eval report <files…> --prompt ada/uncompared@1 --dataset smoke --model m",
    );
    await report("uncompared", 1, { passed: 20, dataset: "smoke" });
    await addCase(smoke, "new");
    await report("uncompared", 2, { passed: 20, dataset: "smoke" });
    const other = await move("uncompared", "--no-regression");
    expect(other.exitCode).toBe(11);
    expect(other.stderr).toMatch(
      /Model m: Not comparable: the cases of the dataset changed.* Report one: promptreg eval report <files…> --prompt ada\/uncompared@1 /,
    );
  });

  test("says which version to report again, if too much of the new one errored", async () => {
    await staged("overloaded");
    await report("overloaded", 1, { passed: 20, dataset: "smoke" });
    await report("overloaded", 2, { passed: 17, errored: 3, dataset: "smoke" });
    const { exitCode, stderr } = await move("overloaded", "--no-regression", "--threshold", "0.8");
    expect(exitCode).toBe(11);
    expect(stderr).toMatch(
      /Model m: Not comparable: .* Report one: promptreg eval report <files…> --prompt ada\/overloaded@2 /,
    );
  });

  test("does not compare a run that lacks cases", async () => {
    const smoke = await staged("lacking");
    for (const key of ["a", "b", "c", "d"]) await addCase(smoke, key);
    await report("lacking", 1, { passed: 4, cases: 4, dataset: "smoke" });
    await report("lacking", 2, { passed: 2, cases: 2, dataset: "smoke" });
    const { exitCode, stderr } = await move("lacking", "--no-regression");
    expect(exitCode).toBe(11);
    expect(stderr).toContain("has results of 2 of the 4 cases");
    expect(stderr).not.toContain("omparable");
  });

  test("says that few cases show no drop, which another run of them does not change", async () => {
    await staged("few");
    for (const n of [1, 2]) await report("few", n, { passed: 3, cases: 3, dataset: "smoke" });
    const { exitCode, stderr } = await move("few", "--no-regression");
    expect([exitCode, stderr]).toEqual([
      11,
      expect.stringContaining("Add cases to dataset smoke: no run of 3 cases shows more."),
    ]);
    expect(stderr).not.toContain("Report one");
  });

  test("has nothing to compare for a new label, and says so", async () => {
    await make("first", 2);
    await dataset("first", "smoke");
    await report("first", 2, { passed: 20, dataset: "smoke" });
    expect(await move("first", "--no-regression")).toMatchObject({
      exitCode: 0,
      stdout: "ada/first production: none → 2\n",
      stderr: expect.stringContaining("The label production is new. There is no version to compare with.\n"),
    });
  });
});
