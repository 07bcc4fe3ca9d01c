import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startInstallScene } from "./installed.ts";

const scene = await startInstallScene();
afterAll(() => scene.registry.close());
afterEach(() => scene.registry.heal());

const record = "promptreg.installed.json";
const reply = ".agents/skills/reply/SKILL.md";
const skill = "---\nname: review\ndescription: Reviews.\n---\n\nReview.\n";

beforeAll(async () => {
  await scene.create("reply", "Dear {{name}}, one.");
  await scene.create("review", skill, "skill", [
    { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" },
    { path: "logo.png", content: "iVBORw0KGgr/AAA=", encoding: "base64" },
  ]);
});

describe("install", () => {
  test("shows what it writes, writes it where the tool looks, and records it", async () => {
    const { run, paths, read, record: recorded } = await scene.project();
    const { stdout, stderr, exitCode } = await run("install ada/reply --for agents");
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`  create     ${reply}\n`);
    expect(stdout).toBe(`ada/reply@1 installed for agents: ${reply}\n`);
    expect(await paths()).toEqual([reply, record]);
    expect(await read(reply)).toContain("Dear {{name}}, one.");
    expect(await recorded()).toEqual({
      recordVersion: 1,
      prompts: {
        "ada/reply": {
          id: expect.stringMatching(/^prm_/),
          for: {
            agents: {
              asked: "latest",
              version: 1,
              files: { [reply]: expect.stringMatching(/^[0-9a-f]{64}$/) },
            },
          },
        },
      },
    });
  });

  test("keeps the files of a skill byte for byte, executable ones executable", async () => {
    const { run, files } = await scene.project();
    await run("install ada/review --for claude");
    const installed = await files();
    expect(installed[".claude/skills/review/SKILL.md"]).toBe(skill);
    expect(installed[".claude/skills/review/scripts/run.sh"]).toBe("x #!/bin/sh\n");
    expect(Buffer.from(installed[".claude/skills/review/logo.png"] ?? "", "latin1").toString("base64")).toBe(
      "iVBORw0KGgr/AAA=",
    );
  });
});
