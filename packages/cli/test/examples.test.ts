import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

describe("the examples", () => {
  test.each(readdirSync(`${examples}prompts`))("hold a prompt %s that can be pushed", async (name) => {
    registry.answer("GET /me", { json: { handle: "demo", token: { scopes: ["read"] } } });
    const { stdout, stderr } = await registry.cli(["push", `${examples}prompts/${name}`, "--dry-run"]);
    expect(stdout).toBe(`demo/${name} would be created\n`);
    expect(stderr.replace(/^.*: \d+ variables?: .*\n/, "")).toBe("");
  });

  test("hold a workflow that pushes only from checkouts with the history by which a push knows its base", () => {
    const workflow = readFileSync(`${examples}github/.github/workflows/prompts.yml`, "utf8");
    const jobs = workflow.split(/^  (?=\w+:$)/m).filter((job) => job.includes("promptreg push "));
    expect(jobs).toHaveLength(2);
    for (const job of jobs) expect(job).toMatch(/actions\/checkout@v\d+\n\s+with:\n\s+fetch-depth: 0 /);
  });

  test.each(["prompts.yml", "evals.yml"])(
    "hold a workflow %s that runs no code by a name that others could take",
    (name) => {
      const workflow = readFileSync(`${examples}github/.github/workflows/${name}`, "utf8");
      expect(workflow).not.toMatch(/@promptreg\/|npx |npm (?:install|i) (?!--prefix)/);
      const used = [...workflow.matchAll(/uses: (\S+)@(\S+)/g)].map(([, action = "", at = ""]) => ({
        action,
        at,
      }));
      expect(used.length).toBeGreaterThan(1);
      for (const { action, at } of used) {
        if (action.startsWith("actions/")) continue;
        expect(action).toBe("your-org/promptreg/.github/actions/setup");
        expect(at).toMatch(/^[0-9a-f]{40}$/);
      }
    },
  );

  test("hold results that can be reported", async () => {
    registry.answer("POST /evals/runs", {
      status: 201,
      json: { id: "run_1", status: "running", summary: { total: 0 } },
    });
    registry.answer("POST /evals/runs/run_1/results", ({ body }) => {
      const { length } = (body as { results: object[] }).results;
      return { json: { appended: length, total: length } };
    });
    registry.answer("PATCH /evals/runs/run_1", {
      json: { id: "run_1", verdict: "pass", summary: { total: 2 } },
    });
    const args = [
      "eval",
      "report",
      `${examples}evals/results.json`,
      "--prompt",
      "demo/support-reply@1",
      "--json",
    ];
    const { exitCode } = await registry.cli(args);
    expect(registry.seen[0]?.body).toMatchObject({ model: "gpt-5-mini", threshold: 0.8, versionNumber: 1 });
    expect(exitCode).toBe(0);
  });
});
