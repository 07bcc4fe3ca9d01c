import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { git, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
beforeEach(() => void (registry.requests.length = 0));

const labelsOf = async (ref: string): Promise<Record<string, number>> =>
  JSON.parse((await registry.cli(["show", ref, "--json"])).stdout).labels;
const writes = () => registry.requests.filter(({ method }) => method !== "GET").length;
const push = (...args: string[]) => registry.cli(["push", ...args]);
const change = (folder: string, text = "Goodbye.\n") => appendFile(join(folder, "PROMPT.md"), text);

describe("init", () => {
  test.each(["text", "chat", "media", "skill", "agent", "rule", "command"])(
    "begins a %s that can be pushed as it is",
    async (kind) => {
      const folder = join(home.place(), `a-${kind}`);
      const { exitCode, stdout } = await registry.cli(["init", folder, "--kind", kind, "--title", "Begun"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`promptreg push ${folder}`);
      const pushed = await push(folder);
      expect(pushed).toMatchObject({ exitCode: 0, stdout: `ada/a-${kind} created\n` });
    },
  );

  test("says what to type next, with the folder in quotes where a shell needs them", async () => {
    const folder = join(home.place(), "me 😀");
    const { stdout } = await registry.cli(["init", folder, "--slug", "me"]);
    expect(stdout).toContain(`\nNext: promptreg push '${folder}'\n`);
  });

  test("makes it private, and its own where a login says whose it is", async () => {
    const config = home.place();
    const profile = { url: registry.baseUrl, token: registry.token, handle: "ada" };
    await mkdir(join(config, "promptreg"), { recursive: true });
    await writeFile(
      join(config, "promptreg/config.json"),
      JSON.stringify({ current: "work", profiles: { work: profile } }),
      { mode: 0o600 },
    );
    const begin = async (env: Record<string, string>) => {
      const args = ["init", join(home.place(), "begun"), "--json"];
      return JSON.parse((await registry.cli(args, { env })).stdout).manifest;
    };
    const loggedIn = { XDG_CONFIG_HOME: config, PROMPTREG_URL: "", PROMPTREG_TOKEN: "" };
    expect(await begin(loggedIn)).toEqual({
      prompt: "ada/begun",
      kind: "text",
      title: "Begun",
      visibility: "private",
    });
    expect(await begin({})).toMatchObject({ prompt: "begun" });
    expect(await begin({ ...loggedIn, PROMPTREG_TOKEN: "another's" })).toMatchObject({ prompt: "begun" });
    expect(registry.requests).toEqual([]);
  });

  test("gives what is there already its manifest: the entry file tells the kind", async () => {
    const folder = join(home.place(), "pr-review");
    await mkdir(folder, { recursive: true });
    const skill = "---\nname: pr-review\ndescription: Reviews.\n---\nDo it.\n";
    await writeFile(join(folder, "SKILL.md"), skill);
    await writeFile(join(folder, "notes.md"), "x");
    const { stdout } = await registry.cli(["init", folder, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ entry: "SKILL.md", manifest: { kind: "skill" } });
    expect(await readFile(join(folder, "SKILL.md"), "utf8")).toBe(skill);
    expect(await push(folder)).toMatchObject({
      stdout: "ada/pr-review created\n  SKILL.md\n  notes.md\n",
    });
    const both = home.place();
    await mkdir(both);
    for (const name of ["SKILL.md", "AGENT.md"]) await writeFile(join(both, name), skill);
    const { exitCode, stderr } = await registry.cli(["init", both]);
    expect(stderr).toContain("contains SKILL.md and AGENT.md. Set --kind.");
    expect(exitCode).toBe(2);
  });

  test("writes no title that the registry would refuse", async () => {
    const folder = home.place();
    const { exitCode, stderr } = await registry.cli(["init", folder, "--title", "x".repeat(121)]);
    expect(stderr).toContain("title: must have at most 120 characters");
    expect(exitCode).toBe(6);
    await expect(readFile(join(folder, "promptreg.json"))).rejects.toThrow("ENOENT");
  });

  test("overwrites nothing", async () => {
    const folder = await home.prompt(home.place(), "mine");
    expect(await registry.cli(["init", folder])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("already exists."),
    });
  });

  test("asks for a name where the folder gives none", async () => {
    const { exitCode, stderr } = await registry.cli(["init", join(home.place(), "…")]);
    expect(stderr).toContain("Set --slug");
    expect(exitCode).toBe(2);
  });
});

describe("a tree of prompts", () => {
  test("is pushed whole, and a second time changes nothing", async () => {
    const tree = home.place();
    for (const slug of ["tree-a", "tree-b", "tree-c"]) await home.prompt(join(tree, "deep", slug), slug);
    await home.prompt(join(tree, "node_modules", "other"), "not-mine");
    const first = await push(tree);
    expect(first.stdout).toBe("ada/tree-a created\nada/tree-b created\nada/tree-c created\n");
    registry.requests.length = 0;
    const second = await push(tree);
    expect(second.stdout).toBe(
      "ada/tree-a unchanged at version 1\nada/tree-b unchanged at version 1\nada/tree-c unchanged at version 1\n",
    );
    expect(writes()).toBe(0);
  });

  test("can be named by a file in it", async () => {
    const folder = await home.prompt(home.place(), "by-file");
    expect((await push(join(folder, "PROMPT.md"))).stdout).toBe("ada/by-file created\n");
  });

  test("holds each prompt once", async () => {
    const tree = home.place();
    await home.prompt(join(tree, "a"), "twin");
    await home.prompt(join(tree, "b"), "ada/twin");
    const { exitCode, stderr } = await push(tree);
    expect(exitCode).toBe(6);
    expect(stderr.match(/are both ada\/twin\./g)).toHaveLength(1);
    expect(writes()).toBe(0);
  });

  test("of more than a page of the list is compared by the lists alone", { tags: "long" }, async () => {
    const tree = home.place();
    const slugs = Array.from({ length: 120 }, (_, index) => `many-${index}`);
    for (const slug of slugs) await home.prompt(join(tree, slug), slug);
    expect((await push(tree)).exitCode).toBe(0);
    for (const slug of slugs.slice(0, 3)) await change(join(tree, slug));

    registry.requests.length = 0;
    const { stdout } = await push(tree, "--label", "staging", "--dry-run", "--json");
    const { results } = JSON.parse(stdout);
    expect(results.filter(({ status }: { status: string }) => status === "committed")).toHaveLength(3);
    expect(writes()).toBe(0);

    registry.requests.length = 0;
    const pushed = await push(tree);
    expect(pushed.stdout).toBe(
      "ada/many-0 is now at version 2\nada/many-1 is now at version 2\nada/many-2 is now at version 2\n",
    );
    expect(pushed.stderr).toContain("3 committed, 117 unchanged\n");
    expect(writes()).toBe(3);
    // The pages of the list, and of each changed prompt its versions: the manifests say by now whose they are.
    expect(registry.requests.filter(({ method }) => method === "GET")).toHaveLength(2 + 3);
  });

  test("that is stopped begins no more, and says what was done", async () => {
    const tree = home.place();
    for (let index = 0; index < 30; index += 1)
      await home.prompt(join(tree, `stopped-${index}`), `stopped-${index}`);
    const interrupt = new AbortController();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await registry.fetch(input, init);
      if ((input instanceof Request ? input : init)?.method === "POST") interrupt.abort();
      return response;
    };
    const { exitCode, stdout, stderr } = await registry.cli(["push", tree], {
      fetch,
      interrupt: interrupt.signal,
    });
    const created = stdout.split("\n").filter((line) => line.endsWith(" created")).length;
    expect(created).toBeGreaterThan(0);
    expect(created).toBeLessThan(30);
    expect(stderr).toContain(`Stopped: ${created} of 30 prompts were pushed.`);
    expect(exitCode).toBe(130);
  });
});

describe("a label that a push gives", () => {
  test("goes to the version that it makes", async () => {
    const folder = await home.prompt(home.place(), "labelled");
    await push(folder, "--label", "production");
    await change(folder);
    await push(folder, "--label", "production");
    expect(await labelsOf("ada/labelled")).toEqual({ production: 2 });
  });

  test("goes to a version that never had it, though nothing changed", async () => {
    const folder = await home.prompt(home.place(), "released");
    await push(folder, "--label", "production");
    await change(folder);
    await push(folder);
    expect((await push(folder, "--label", "production")).stdout).toBe(
      "ada/released unchanged at version 2, labelled production\n",
    );
    expect(await labelsOf("ada/released")).toEqual({ production: 2 });
  });

  test("is not moved forward again once it was rolled back", async () => {
    const folder = await home.prompt(home.place(), "rolled-back");
    await push(folder, "--label", "production");
    await change(folder);
    await push(folder, "--label", "production");
    await registry.cli(["label", "move", "ada/rolled-back", "production", "1", "--yes"]);
    for (const options of [["--dry-run"], []]) {
      const { exitCode, stdout } = await push(folder, "--label", "production", ...options);
      expect(stdout).toContain(
        "unchanged at version 2; production was moved away from it and is not moved back",
      );
      expect(exitCode).toBe(0);
    }
    expect(await labelsOf("ada/rolled-back")).toEqual({ production: 1 });
  });
});

describe("a plan", () => {
  test("is markdown for a comment on a pull request, from which no prompt breaks out", async () => {
    const tree = home.place();
    const changed = await home.prompt(join(tree, "planned"), "planned");
    await push(tree);
    await change(changed, "```\n</details>\n{{tone}}\n");
    await home.prompt(join(tree, "planned-new"), "planned-new");
    const { stdout, exitCode } = await push(tree, "--dry-run", "--markdown", "--label", "staging");
    expect(stdout).toContain(
      "| `ada/planned` | become the version after 1, labelled `staging` | +3 −0, **breaking** |",
    );
    expect(stdout).toContain("| `ada/planned-new` | be created, labelled `staging` |  |");
    expect(stdout).toContain("````diff\n--- a/PROMPT.md");
    expect(stdout).toContain("+```\n+</details>\n+{{tone}}");
    expect(exitCode).toBe(0);
    expect(writes()).toBe(2 - 1);
  });

  test("says so when nothing would change", async () => {
    const folder = await home.prompt(home.place(), "settled");
    await push(folder);
    expect((await push(folder, "--dry-run", "--markdown")).stdout).toBe(
      "### Prompts\n\nA push would change nothing.\n",
    );
  });

  test("is shown by a dry run alone", async () => {
    expect(await push(home.place(), "--markdown")).toMatchObject({ exitCode: 2 });
  });
});

describe("a push of what git saw changing", () => {
  async function repository() {
    const tree = home.place();
    await mkdir(tree);
    git(tree, "init", "-q");
    return tree;
  }

  test("takes what was committed, edited or added since", async () => {
    const tree = await repository();
    const names = ["since-committed", "since-edited", "since-same"];
    for (const name of names) await home.prompt(join(tree, "prompts", name), name);
    git(tree, "add", ".");
    git(tree, "commit", "-qm", "Begin");
    await change(join(tree, "prompts/since-committed"));
    git(tree, "commit", "-qam", "Change one");
    await change(join(tree, "prompts/since-edited"));
    await home.prompt(join(tree, "prompts/since-added"), "since-added");
    const { stdout } = await push(tree, "--changed-since", "HEAD~1");
    expect(stdout).toBe("ada/since-added created\nada/since-committed created\nada/since-edited created\n");
    git(tree, "add", ".");
    git(tree, "commit", "-qm", "Change the rest");
    expect(await push(tree, "--changed-since", "HEAD")).toMatchObject({
      exitCode: 0,
      stderr: "Nothing changed. There is nothing to push.\n",
    });
  });

  test("says what is wrong where git does not know", async () => {
    const tree = await repository();
    await home.prompt(join(tree, "a"), "in-git");
    const outside = await home.prompt(home.place(), "outside-git");
    for (const [folder, revision, message] of [
      [outside, "HEAD", "is not in a git repository"],
      [tree, "v1", "Unknown commit v1."],
      [tree, "--output=x", "Unknown commit --output=x."],
    ] as const) {
      const { exitCode, stderr } = await push(folder, `--changed-since=${revision}`);
      expect(stderr).toContain(message);
      expect(exitCode).toBe(2);
    }
  });
});
