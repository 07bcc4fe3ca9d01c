import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
const client = createClient(registry);
afterAll(() => registry.close());
beforeEach(() => {
  registry.requests.length = 0;
  registry.heal();
});

const push = (...args: string[]) => registry.cli(["push", ...args]);
const writes = () => registry.requests.filter(({ method }) => method !== "GET").length;
async function treeOf(slugs: readonly string[], about: object = {}) {
  const tree = home.place();
  for (const slug of slugs) await home.prompt(join(tree, slug), slug, undefined, about);
  return tree;
}
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

describe("a tree that is pushed", () => {
  test("goes on after a refusal of the registry, and ends with the exit code of the first", async () => {
    const tree = await treeOf(["goes-a", "goes-b", "goes-c"]);
    await push(join(tree, "goes-b"));
    await client.prompts.delete({ owner: "ada", slug: "goes-b" });
    await writeFile(
      join(tree, "goes-c/promptreg.json"),
      '{ "prompt": "goes-c", "kind": "text", "title": 1 }',
    );
    const { exitCode, stdout, stderr } = await push(tree);
    expect(stdout).toBe("ada/goes-a created\n");
    expect(stderr).toMatch(/^error: .*goes-b: This was deleted\. .*\nerror: .*goes-c.*\n {2}title: /m);
    expect(stderr).toContain("2 of 3 prompts were refused.\n");
    expect(exitCode).toBe(4);
  });

  test("gets its labels in the requests that create it: one each", async () => {
    const tree = await treeOf(numbered("labelled", 3));
    expect(await push(tree, "--label", "production")).toMatchObject({ exitCode: 0 });
    expect(writes()).toBe(3);
    const { labels } = await client.prompts.get({ owner: "ada", slug: "labelled-2" });
    expect(labels).toEqual({ production: 1 });
  });

  test("has a line for the variables of each prompt that is sent, however many they are", async () => {
    const tree = await treeOf(numbered("filled", 6));
    expect((await push(tree)).stderr.match(/filled-\d: 1 variable: name\n/g)).toHaveLength(6);
    expect((await push(tree)).stderr).not.toContain("variable");
  });

  test("passes though the server says again and again that it is too much", { tags: "long" }, async () => {
    const tree = await treeOf(numbered("patient", 20));
    registry.fail({ code: "rate_limited", retryAfterSeconds: 0 }, { on: "prompts.create", times: 60 });
    registry.fail({ code: "rate_limited", retryAfterSeconds: 0 }, { on: "prompts.list", times: 5 });
    const { exitCode, stdout } = await push(tree);
    expect(stdout.split("\n").filter((line) => line.endsWith(" created"))).toHaveLength(20);
    expect(exitCode).toBe(0);
  });

  test("ends where the server is away, and says how far it came", { tags: "long" }, async () => {
    const tree = await treeOf(numbered("away", 30));
    let created = 0;
    registry.fail({ cut: "before" }, { on: (request) => request.method === "POST" && (created += 1) > 3 });
    const { exitCode, stdout, stderr } = await push(tree);
    expect(stdout.match(/ created\n/g)).toHaveLength(3);
    expect(stderr).toContain("3 of 30 prompts were pushed. Run it again for the rest.\n");
    expect(exitCode).toBe(7);
    registry.heal();
    expect((await push(tree)).stdout).toContain("ada/away-9 created\n");
  });

  test.each(["prompts.get", "prompts.create"] as const)(
    "ends at Ctrl-C though the server asks to wait for a day: %s",
    { tags: "long" },
    async (on) => {
      const tree = await treeOf(numbered("waits", 3));
      registry.fail({ code: "rate_limited", retryAfterSeconds: 86_400 }, { on });
      const interrupt = new AbortController();
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const response = await registry.fetch(input, init);
        if (response.status === 429) setTimeout(() => interrupt.abort());
        return response;
      };
      const { exitCode, stderr } = await registry.cli(["push", tree], { fetch, interrupt: interrupt.signal });
      expect(stderr).toBe(
        "The server asks to wait 86400 seconds.\nerror: Stopped: 0 of 3 prompts were pushed.\n",
      );
      expect(exitCode).toBe(130);
    },
  );

  test("is pushed though what is noted of it cannot be written, which is said", async () => {
    const tree = await treeOf(["unnoted"]);
    await writeFile(join(tree, "unnoted/.promptreg-state"), "In the way");
    const { exitCode, stdout, stderr } = await push(tree);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "ada/unnoted created\n" });
    expect(stderr).toMatch(/unnoted: .*state\.json cannot be written: /);
  });
});

describe("a folder that names somebody else", () => {
  const asBob = async (args: string[], answers?: boolean[]) => {
    const { token } = await registry.createAccount("bob");
    return registry.cli(args, { env: { PROMPTREG_TOKEN: token }, ...(answers && { answers }) });
  };

  test("is copied once the answer is yes, and not where nobody can be asked", async () => {
    const tree = await treeOf(["shared-a", "shared-b"], { visibility: "public" });
    await push(tree, "--yes");
    registry.requests.length = 0;
    const unasked = await asBob(["push", tree, "--yes"]);
    expect(unasked.stderr).toContain(
      "ada/shared-a belongs to ada, but the token belongs to bob. --owner bob pushes a copy, bob/shared-a.",
    );
    expect(unasked).toMatchObject({ exitCode: 3, stdout: "" });
    const refused = await asBob(["push", tree], [false]);
    expect(refused).toMatchObject({
      exitCode: 130,
      asked: ["2 of these prompts belong to ada, but the token belongs to bob. Push copies as bob/…?"],
    });
    expect(writes()).toBe(0);
    const agreed = await asBob(["push", tree], [true, true]);
    expect(agreed.stdout).toBe("bob/shared-a created\nbob/shared-b created\n");
    // The manifests are those of all, and still name her.
    expect((await push(tree)).stdout).toContain("ada/shared-a unchanged");
    expect((await asBob(["push", tree, "--owner", "bob"])).stdout).toContain("bob/shared-a unchanged");
  });

  test("is not pushed for an owner whose token it is not", async () => {
    const folder = await home.prompt(home.place(), "nobodys");
    const { exitCode, stderr } = await push(folder, "--owner", "carol");
    expect(stderr).toContain("--owner is carol, but the token belongs to ada.");
    expect(exitCode).toBe(3);
  });
});

describe("a tree that is compared", () => {
  test("shows what differs in each of its prompts, and names those that are in no registry, or cannot be read", async () => {
    const tree = await treeOf(["diff-a", "diff-b", "diff-new", "diff-bad"]);
    await push(join(tree, "diff-a"), join(tree, "diff-b"));
    await writeFile(join(tree, "diff-a/PROMPT.md"), "Bye {{name}} {{more}}\n");
    expect((await registry.cli(["diff", tree, "--breaking"])).exitCode).toBe(9);
    await writeFile(join(tree, "diff-bad/promptreg.json"), "{}");
    const { exitCode, stdout, stderr } = await registry.cli(["diff", tree]);
    expect(stdout).toMatch(
      /diff-a\n(.*\n)+.*\+Bye \{\{name\}\} \{\{more\}\}\n(.*\n)+\n1 prompt unchanged\n$/,
    );
    expect(stderr).toContain("diff-new has no version in the registry.\n");
    expect(stderr).toMatch(/^error: .*diff-bad/m);
    expect(exitCode).toBe(6);
    const { results } = JSON.parse((await registry.cli(["diff", tree, "--json"])).stdout);
    expect(results).toMatchObject([
      { folder: join(tree, "diff-a") },
      { folder: join(tree, "diff-b"), files: [] },
      { folder: join(tree, "diff-bad"), status: "refused" },
    ]);
  });
});

describe("all prompts that are pulled", () => {
  test("are refused where two would go to one folder, and one alone is refused as it is", async () => {
    const tree = await treeOf(["twin"]);
    await push(tree);
    await client.prompts.update({ owner: "ada", slug: "twin", body: { visibility: "public" } });
    const eve = createClient({ ...registry, token: (await registry.createAccount("eve")).token });
    await eve.prompts.forks.create({ owner: "ada", slug: "twin", body: { visibility: "public" } });
    const into = home.place();
    const { exitCode, stderr } = await registry.cli(["pull", "ada/twin", "eve/twin", "--into", into]);
    expect(exitCode).toBe(6);
    expect(stderr).toContain("ada/twin and eve/twin would both go to ");
    await expect(readdir(into)).rejects.toThrow("ENOENT");
    const alone = await registry.cli(["pull", "ada/nothing", "--into", home.place(), "--json"]);
    expect(alone.exitCode).toBe(4);
    expect(alone.stdout).not.toContain("results");
  });

  test("go on where one folder may not be overwritten, which is named", { tags: "long" }, async () => {
    const tree = await treeOf(["pull-a", "pull-b", "pull-c"]);
    await push(tree);
    const into = home.place();
    await home.prompt(join(into, "pull-b"), "else/where");
    const { exitCode, stdout, stderr } = await registry.cli(["pull", "--all", "--into", into]);
    expect(stdout).toContain("ada/pull-a@1 written to ");
    expect(stdout).toContain("ada/pull-c@1 written to ");
    expect(stderr).toMatch(/^error: .*pull-b contains else\/where\. Pull ada\/pull-b into another folder/m);
    expect(stderr).toMatch(/1 of \d+ prompts was refused\./);
    expect(exitCode).toBe(6);
  });
});
