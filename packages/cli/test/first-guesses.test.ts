import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const { cli } = registry;
const folder = home.place();
const paragraph = (word: string) =>
  `You answer customers of a shop in a ${word} tone, you never promise what the shop cannot keep, and you end with your name.\n`;
beforeAll(async () => {
  await home.prompt(folder, "reply", { "PROMPT.md": `${paragraph("warm")}Hello\n` });
  await cli(["push", folder]);
  await writeFile(join(folder, "PROMPT.md"), `${paragraph("dry")}Bye\n`);
});

describe("the diff of a paragraph", () => {
  test("marks the words that differ: on a terminal by colour, in a pipe on demand", async () => {
    const { stdout } = await cli(["diff", folder], { isTTY: true, columns: 80 });
    expect(stdout).toContain("in a \u001b[7mwarm\u001b[27m");
    expect(stdout).toContain("in a \u001b[7mdry\u001b[27m");
    const marked = await cli(["diff", folder, "--word-diff"]);
    expect(marked.stdout).toMatch(/^-You .* in a \[-warm-\] tone, /m);
    expect(marked.stdout).toMatch(/^\+You .* in a \{\+dry\+\} tone, /m);
  });

  test("is a patch in a pipe, byte for byte", async () => {
    const { stdout } = await cli(["diff", folder]);
    expect(stdout).toContain(`-${paragraph("warm")}-Hello\n+${paragraph("dry")}+Bye\n`);
  });

  test("marks the words for a comment on a pull request too; short lines are seen at once", async () => {
    const { stdout } = await cli(["push", folder, "--dry-run", "--markdown"]);
    expect(stdout).toContain("in a [-warm-] tone");
    expect(stdout).toContain("\n-Hello\n");
  });
});

describe("what was not found is named:", () => {
  test.each([
    [["show", "ada/nothing@3"], "ada/nothing@3: Not found."],
    [["label", "list", "ada/nothing"], "ada/nothing: Not found."],
    [["diff", "ada/nothing", "1..2"], "ada/nothing 1..2: Not found."],
    [["webhook", "show", "whk_01jd8e6yk2v9s3m5n7p0q4r6t8"], "whk_01jd8e6yk2v9s3m5n7p0q4r6t8: Not found."],
    [["comment", "add", "ada/nothing", "It is great."], "ada/nothing: Not found."],
    [["contest", "view", "nope"], "nope: Not found."],
    [["inbox", "approve", "nothing-here"], "nothing-here: Not found."],
    [["make", "link", "nothing-here", "ada/nothing"], "nothing-here ada/nothing: Not found."],
  ])("%j", async (command, said) => {
    const { stderr, exitCode } = await cli(command);
    expect(stderr).toContain(`error: ${said} It does not exist, or you do not have access to it.`);
    expect(exitCode).toBe(4);
  });

  test.each([
    ["of a registry, but not its root", "/elsewhere", "Not found."],
    ["of something else", "/", "is not from Promptreg"],
  ])("the server, where its address is one %s", async (_, path, said) => {
    const fetch = async () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } });
    const address = new URL(path, registry.baseUrl).href;
    const { stderr } = await cli(["list", "--url", address], path === "/" ? { fetch } : {});
    expect(stderr).toContain(said);
    expect(stderr).toContain(`The server is ${address.replace(/\/$/, "")}`);
    expect(stderr).toContain(", from --url.");
  });

  test("the address of a server that cannot be one, but no password in it", async () => {
    const { stderr } = await cli(["list", "--url", "registry.example"]);
    expect(stderr).toMatch(/^error: "registry\.example" is not the address of a server\. /);
    const secret = await cli(["list", "--url", "https://ada:geheim@registry.example"]);
    expect(secret).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining("geheim") });
  });
});

describe("a file that begins with the mark of some editors", () => {
  const mark = "\ufeff";
  const begin = async (file: string) => writeFile(file, mark + (await readFile(file, "utf8")));

  test("is read as any other: the prompt, its manifest, and the lockfile", async () => {
    const other = await home.prompt(home.place(), "marked", {
      "PROMPT.md": "---\nconfig: { temperature: 1 }\n---\nHi {{name}}\n",
    });
    for (const name of ["PROMPT.md", "promptreg.json"]) await begin(join(other, name));
    expect((await cli(["push", other])).exitCode).toBe(0);
    expect(JSON.parse((await cli(["show", "ada/marked", "--json"])).stdout).version).toMatchObject({
      config: { temperature: 1 },
      variables: [{ name: "name" }],
    });
    const lockfile = join(other, "promptreg.lock");
    await cli(["lock", "ada/marked@1", "--file", lockfile]);
    await begin(lockfile);
    for (const command of ["verify", "ci", "outdated", "lock"])
      expect((await cli([command, "--file", lockfile])).exitCode).toBe(0);
  });

  test("so is the record of what is installed, and the file of the profiles", async () => {
    const project = home.place();
    await mkdir(project);
    await cli(["install", "ada/reply", "--for", "cursor", "--project", project]);
    await begin(join(project, "promptreg.installed.json"));
    expect((await cli(["installed", "--project", project])).stdout).toContain("ada/reply");
    const config = home.place();
    await mkdir(join(config, "promptreg"), { recursive: true });
    await writeFile(join(config, "promptreg/config.json"), `${mark}{ "profiles": {} }`, { mode: 0o600 });
    expect(await cli(["profile", "list"], { env: { XDG_CONFIG_HOME: config } })).toMatchObject({
      exitCode: 0,
    });
  });
});
