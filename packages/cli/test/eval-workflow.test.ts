import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { makeHome } from "./folders.ts";

const home = await makeHome();
const file = fileURLToPath(new URL("../../../examples/github/.github/workflows/evals.yml", import.meta.url));

interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}
const workflow = parse(await readFile(file, "utf8"), { version: "1.2" });
const job = workflow.jobs.evals;
const steps: Step[] = job.steps;
const comment = steps.find(({ name }) => name === "Write or update the comment");

/** Knows two answers of GitHub, and keeps what it is told. Its `--jq` is jq. */
const gh = `#!/bin/sh
printf '%s\\n' "$*" >> "$CALLS"
[ "$1" = api ] || exit 1
case "$*" in
  *--paginate*) shift 4; jq -r "$1" "$COMMENTS" ;;
  *) cp evals.md "$SENT" ;;
esac
`;

// In place of the jq within gh; GitHub's runners have it.
const hasJq = spawnSync("jq", ["--version"]).status === 0;
const marker = "<!-- promptreg:ada/support-reply:m: -->";
const bot = { login: "github-actions[bot]" };

/** Runs the step as GitHub does, in a folder with a report. */
async function run(comments: object[], report = `${marker}\n\n### ❌ Regression\n`) {
  const folder = home.place();
  await mkdir(join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "bin/gh"), gh);
  await chmod(join(folder, "bin/gh"), 0o755);
  await writeFile(join(folder, "evals.md"), report);
  await writeFile(join(folder, "comments.json"), JSON.stringify(comments));
  await writeFile(join(folder, "step.sh"), comment?.run ?? "exit 1");
  const env = {
    PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    CALLS: join(folder, "calls"),
    COMMENTS: join(folder, "comments.json"),
    SENT: join(folder, "sent"),
    GITHUB_REPOSITORY: "ada/shop",
    NUMBER: "7",
    GH_TOKEN: "t",
  };
  execFileSync("bash", ["-e", "step.sh"], { cwd: folder, env });
  const calls = (await readFile(env.CALLS, "utf8")).trim().split("\n");
  return { last: calls.at(-1), sent: await readFile(env.SENT, "utf8") };
}

describe("the workflow for evals", () => {
  test("gives a pull request no more than it needs", () => {
    expect(Object.keys(workflow.on)).toEqual(["pull_request"]);
    expect(workflow.permissions).toEqual({});
    expect(job.permissions).toEqual({ contents: "read", "pull-requests": "write" });
    expect(job.if).toContain("head.repo.full_name == github.repository");
  });

  test("gives the token of the registry to the steps that call it alone", () => {
    const given = steps.filter(({ env }) => env?.PROMPTREG_TOKEN !== undefined);
    expect(given.map(({ run: script }) => script?.split(" ").slice(0, 2).join(" "))).toEqual([
      "promptreg push",
      "promptreg eval",
    ]);
  });

  test("puts no value of an event into a script, where it could be a command", () => {
    for (const { run: script = "" } of steps) expect(script).not.toContain("${{");
  });

  test.skipIf(!hasJq)(
    "writes a comment where there is none of the same prompt, model and dataset",
    async () => {
      const others = [
        { id: 1, user: bot, body: "<!-- promptreg:ada/other:m: -->" },
        { id: 2, user: { login: "mallory" }, body: `${marker}\nforged` },
        { id: 3, user: bot, body: `See ${marker}` },
      ];
      const { last, sent } = await run(others);
      expect(last).toBe("api --method POST repos/ada/shop/issues/7/comments --field body=@evals.md --silent");
      expect(sent).toContain("Regression");
    },
  );

  test.skipIf(!hasJq)("replaces its own comment", async () => {
    const { last } = await run([
      { id: 4, user: bot, body: `${marker}\nbefore` },
      { id: 5, user: bot, body: `${marker}\nlater` },
    ]);
    expect(last).toBe("api --method PATCH repos/ada/shop/issues/comments/4 --field body=@evals.md --silent");
  });

  test.skipIf(!hasJq)("takes nothing in a report for a command", async () => {
    const hostile = `<!-- promptreg:ada/x:$(touch forged)\`touch forged\`"'); end: -->`;
    const { last } = await run([{ id: 6, user: bot, body: hostile }], `${hostile}\n`);
    expect(last).toContain("issues/comments/6 ");
  });
});
