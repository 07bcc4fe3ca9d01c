import { afterAll, afterEach, describe, expect, test } from "vitest";
import { cli, refusal, startRegistry, token } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

describe("the exit code", () => {
  test.each([
    [401, 3],
    [403, 3],
    [404, 4],
    [410, 4],
    [409, 5],
    [412, 5],
    [400, 6],
    [413, 6],
    [415, 6],
    [416, 6],
    [422, 6],
    [429, 7],
    [500, 7],
    [501, 7],
    [503, 7],
    [599, 7],
    [405, 1],
    [418, 1],
  ])("tells an answer of %i as %i", async (status, exitCode) => {
    // A retry of what the server could not do would only make this slow.
    registry.answer("PATCH /evals/runs/run_1", refusal(status, "some_code"));
    const answered = await registry.cli(["api", "evals.runs.update", "id=run_1", "--body", "{}"]);
    expect(answered).toMatchObject({ exitCode, stdout: "" });
  });

  test("tells a server that is away as 7", async () => {
    const gone = await startRegistry();
    await gone.close();
    const { exitCode, stderr } = await gone.cli(["whoami"]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain(`error: ${gone.url} cannot be reached (ECONNREFUSED). Is the server running`);
  });

  test.each([
    [["psuh"], "Did you mean push?"],
    [["whoami", "--jsno"], "Did you mean --json?"],
    [["whoami", "--url", "nowhere"], "The server's address must look like"],
    [["push"], "`promptreg push .` sends all prompts below it."],
    [
      ["cat", "Ada/Reply"],
      'error: prompt: "Ada/Reply" is not the address of a prompt. Write it in lower case: ',
    ],
    [["leaderboard", "posts"], "error: board: Allowed choices are prompts, makes"],
    [["diff", "ada/reply", "1...2"], "Write two versions or labels, such as 1..2"],
    [["diff", "ada/reply"], "Write two versions of ada/reply, such as `promptreg diff ada/reply 1..latest`."],
    [["label", "move", "Ada", "production", "1"], "Write owner/slug"],
    [["label", "move", "ada/reply@2", "production", "1"], "without a version or label"],
    [["label", "move", "ada/reply", "production", "4x"], "Write a version number or a label"],
    [["eval", "report", "-", "--prompt", "ada/reply"], "Add a version or label"],
    [["eval", "report", "-", "--prompt", "ada/reply@1", "--threshold", "80"], "from 0 to 1"],
  ])("tells the mistake in %j as 2, and what was probably meant", async (args, hint) => {
    const { exitCode, stdout, stderr } = await cli(args);
    expect(stderr).toContain(hint);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("is explained by the help", async () => {
    for (const args of [["--help"], ["help", "exit-codes"], ["exit-codes"]]) {
      const { exitCode, stdout } = await cli(args);
      expect(stdout).toContain("    5  The current state does not allow it (409, 412).");
      expect(exitCode).toBe(0);
    }
  });
});

describe("an error", () => {
  const details = [{ path: "/slug", code: "custom", message: "too long" }];

  test("is one sentence with the request's id, and a line for each detail", async () => {
    registry.answer("GET /me", refusal(422, "validation_failed", details));
    const { stderr } = await registry.cli(["whoami"]);
    expect(stderr).toBe("error: Refused with validation_failed. (request req-12345678)\n  slug: too long\n");
  });

  test("is JSON where JSON was asked for, on standard error", async () => {
    registry.answer("GET /me", refusal(422, "validation_failed", details));
    const { stdout, stderr } = await registry.cli(["whoami", "--json"]);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "validation_failed",
        message: "Refused with validation_failed.",
        details,
        requestId: "req-12345678",
      },
    });
  });

  test("says what to do about a token", async () => {
    registry.answer("GET /me", refusal(401, "unauthenticated"));
    const { stderr } = await registry.cli(["whoami"]);
    expect(stderr).toContain("Run `promptreg login`, or set PROMPTREG_TOKEN.");
  });

  test("cannot command the terminal", async () => {
    registry.answer("GET /me", refusal(422, "x", [{ path: "a", code: "b", message: "\u001b[2J\u009b1m" }]));
    const { stderr } = await registry.cli(["whoami"]);
    expect(stderr).toContain("a: \\x1b[2J\\x9b1m");
  });

  test("never shows the token, not even with --debug", async () => {
    registry.answer("GET /me", refusal(403, "forbidden"));
    const { stderr } = await registry.cli(["whoami", "--debug"]);
    expect(stderr).toContain(`GET ${registry.url}/api/v1/me 403 (request req-12345678)`);
    expect(stderr).not.toContain(token);
  });
});
