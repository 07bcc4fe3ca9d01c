import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const render = (...args: string[]) => registry.cli(["render", ...args]);

const entry = `---
variables:
  - name: count
    type: number
  - name: tone
    default: kind
---
Give {{count}} {{tone}} answers to {{customer}}, not \\{{this}}.
`;
const chat = {
  messages: [
    { role: "system", content: "Be {{tone}}." },
    { type: "placeholder", name: "history" },
    { role: "user", content: "Go on." },
  ],
};
let folder: string;

beforeAll(async () => {
  const client = createClient(registry);
  const make = (kind: "text" | "chat", slug: string, path: string, content: string) =>
    client.prompts.create({ body: { kind, slug, title: slug, files: [{ path, content }] } });
  await make("text", "reply", "PROMPT.md", entry);
  await make("chat", "talk", "CHAT.json", JSON.stringify(chat));
  folder = await home.prompt(home.place(), "reply");
  await writeFile(join(folder, "PROMPT.md"), entry);
});

describe("render", () => {
  test("fills in a folder, or a version of the registry, with values of their types", async () => {
    const text = "Give 3 kind answers to Ada = Lovelace, not {{this}}.\n";
    for (const what of [folder, "ada/reply", "ada/reply@1"])
      expect(await render(what, "--var", "count=3", "--var", "customer=Ada = Lovelace")).toMatchObject({
        exitCode: 0,
        stdout: text,
        stderr: "",
      });
  });

  test("reads as JSON what is no text alone, and one prompt at a time", async () => {
    const variables = "[{name: sure, type: boolean}, {name: data, type: json}, {name: version}]";
    const content = `---\nvariables: ${variables}\n---\n{{sure}} {{data}} {{version}}\n`;
    const tree = home.place();
    const typed = await home.prompt(join(tree, "typed"), "typed", { "PROMPT.md": content });
    const values = ["--var", "sure=true", "--var", "data=[1]", "--var", "version=1.0"];
    expect(await render(typed, ...values)).toMatchObject({ exitCode: 0, stdout: "true [1] 1.0\n" });
    await home.prompt(join(tree, "other"), "other");
    expect((await render(tree)).exitCode).toBe(2);
  });

  test("takes values from a file, and those of --var before them", async () => {
    const values = join(home.place(), "..", "values.json");
    await writeFile(values, JSON.stringify({ count: 2, customer: "Bo", tone: null }));
    const { stdout } = await render(folder, "--vars", values, "--var", "count=4");
    expect(stdout).toBe("Give 4 kind answers to Bo, not {{this}}.\n");
    await writeFile(values, "{");
    const broken = await render(folder, "--vars", values);
    expect([broken.exitCode, broken.stderr]).toEqual([6, expect.stringContaining(`${values} is no JSON: `)]);
    const none = await render(folder, "--vars", "-", "--var", "count=4");
    expect(none.stderr).toContain("Standard input is no JSON: ");
    await writeFile(values, "[1]");
    expect(await render(folder, "--vars", values)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("must be a JSON object with a value for each variable."),
    });
  });

  test("shows what it can where a value is missing, names it, and fails", async () => {
    expect(await render(folder, "--var", "count=3")).toMatchObject({
      exitCode: 6,
      stdout: "Give 3 kind answers to {{customer}}, not {{this}}.\n",
      stderr: "error: Without a value: customer. Use --var name=value, or --vars file.json.\n",
    });
    const { stdout, exitCode } = await render("ada/reply", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ prompt: "ada/reply@1", missing: ["count", "customer"] });
    expect(exitCode).toBe(6);
  });

  test("shows nothing for a value that does not fit or that nothing needs", async () => {
    expect(await render(folder, "--var", "count=many", "--var", "who=Ada")).toMatchObject({
      exitCode: 6,
      stdout: "",
      stderr:
        "error: Give a value for customer. The prompt has no variable who; check the spelling. count must be a number.\n",
    });
  });

  test("shows the messages of a chat, and says which an application gives", async () => {
    const { stdout, stderr } = await render("ada/talk", "--var", "tone=kind");
    expect(stdout).toBe("Be kind.\n\nGo on.\n");
    expect(stderr).toBe("Without the messages for history, which an application gives.\n");
    const { messages } = JSON.parse((await render("ada/talk", "--var", "tone=kind", "--json")).stdout);
    expect(messages).toEqual([{ role: "system", content: "Be kind." }, chat.messages[2]]);
  });

  test("says what to write where neither a folder nor an address is named", async () => {
    expect(await render("ada/none")).toMatchObject({ exitCode: 4 });
    expect(await render("no/such/folder")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("A folder of that name is not here either."),
    });
    expect(await render("nothing")).toMatchObject({
      exitCode: 6,
      stderr: "error: nothing does not exist.\n",
    });
  });
});
