import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promptKinds } from "@promptreg/core/content";
import { formatKinds, formatNames, type Tool, toolNames, tools } from "@promptreg/core/formats";
import { expect, test } from "vitest";
import { startReal } from "./real.ts";

const names = (all: readonly string[]) => all.map((name) => `\`${name}\``).join(", ") || "none";

test.each(promptKinds)("the README says which tools and formats take the kind %s", async (kind) => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const places = (name: keyof typeof tools): Tool["places"] => tools[name].places;
  const taking = names(toolNames.filter((name) => places(name)[kind] !== undefined));
  const isIn = (name: keyof typeof formatKinds) => (formatKinds[name] as readonly string[]).includes(kind);
  const formats = names(formatNames.filter((name) => isIn(name) && name !== "markdown" && name !== "json"));
  expect(readme).toContain(`\n| \`${kind}\` | ${taking} | ${formats} |\n`);
});

/** What a reader types, and what the README says is printed then. */
interface Typed {
  command: string;
  printed: string[];
}

const root = join(import.meta.dirname, "../../..");
const blocks = (text: string, language = "") =>
  [...text.matchAll(/^```(\w*)\n([^]*?)\n```$/gm)].flatMap(([, named, block = ""]) =>
    named === language ? [block] : [],
  );

function typedIn(block: string): Typed[] {
  const typed: Typed[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("$ ")) typed.push({ command: line.slice(2), printed: [] });
    else typed.at(-1)?.printed.push(line);
  }
  return typed;
}

/** The words of a command line whose only quotes are single ones. */
const words = (text: string) =>
  (text.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""));

test("the README's quick start works as it is printed, and so does what follows it", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const section = (title: string) => new RegExp(`^## ${title}\\n([^]*?)^## `, "m").exec(readme)?.[1] ?? "";
  const start = section("Quick start");
  const folder = await mkdtemp(join(tmpdir(), "promptreg-readme-"));
  const registry = await startReal();
  const tokens: Record<string, string> = {};
  const inFolder = (text: string) => text.replaceAll("../", `${folder}/`);

  /** Runs what a shell would run; what starts and administers a server is done by the test itself. */
  async function type({ command, printed }: Typed): Promise<void> {
    const [, as, rest = ""] = /^(?:PROMPTREG_TOKEN=\$(\w+) )?(.*)$/.exec(inFolder(command)) ?? [];
    const [name = "", ...args] = words(rest);
    const account = /user add (\w+)/.exec(rest)?.[1];
    if (rest === "npm start" || account === "ada" || rest.startsWith("export PROMPTREG_TOKEN=")) return;
    if (account !== undefined)
      return void (tokens[account.toUpperCase()] = (await registry.createAccount(account)).token);
    if (rest.startsWith("export ")) return expect(tokens).toHaveProperty(words(rest)[1]?.split("=")[0] ?? "");
    if (name === "cp") return cp(join(root, args[1] ?? ""), args[2] ?? "", { recursive: true });
    if (name === "echo") return appendFile(args[2] ?? "", `${args[0]}\n`);
    expect(rest).toMatch(/^npm run -s cli -- /);
    const env: Record<string, string> = as === undefined ? {} : { PROMPTREG_TOKEN: tokens[as] ?? "" };
    const done = await registry.cli(args.slice(4), { env });
    expect({ command, ...done }).toEqual({ command, ...done, exitCode: 0 });
    for (const line of printed) expect(done.stdout + done.stderr).toContain(inFolder(line).trim());
  }

  try {
    for (const block of blocks(start)) {
      // The reader changes the prompt before the second push.
      if (block.includes("Sign with a name")) {
        const path = join(folder, "support-reply/PROMPT.md");
        const text = await readFile(path, "utf8");
        const [yaml = ""] = blocks(start, "yaml");
        const signed = text
          .replace("variables:\n", `variables:\n${yaml}\n`)
          .replace("- Stay under 120 words.\n", "- Stay under 120 words.\n- Sign as {{agent}}.\n");
        await writeFile(path, signed);
      }
      for (const one of typedIn(block)) await type(one);
    }
    const [first = "", second = ""] = blocks(section("Find, change and install prompts of others"));
    for (const one of [...typedIn(first), ...typedIn(second)]) await type(one);
  } finally {
    await registry.close();
    await rm(folder, { recursive: true, force: true });
  }
});
