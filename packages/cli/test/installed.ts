import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient } from "@promptreg/client";
import { contentOf, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

/** A registry with prompts of ada's, and projects to install them into. */
export async function startInstallScene() {
  const registry = await startReal();
  const client: Client = createClient(registry);
  const home = await makeHome();
  const run = (args: string, around?: Around) => registry.cli(args.split(" "), around);
  return {
    registry,
    client,
    /** Where nothing is yet. */
    place: home.place,
    /** Creates a public prompt. */
    async create(
      slug: string,
      content: string,
      kind: "text" | "skill" | "rule" = "text",
      more: object[] = [],
    ) {
      const path = { text: "PROMPT.md", skill: "SKILL.md", rule: "RULE.md" }[kind];
      const files = [{ path, content }, ...more] as { path: string; content: string }[];
      await client.prompts.create({ body: { kind, slug, title: slug, visibility: "public", files } });
    },
    /** Commits a version with other content. */
    commit: (slug: string, content: string, labels: string[] = []) =>
      client.prompts.versions.create({
        owner: "ada",
        slug,
        body: { files: [{ path: "PROMPT.md", content }], labels },
      }),
    run,
    /** An empty project, and commands in it. */
    async project() {
      const folder = home.place();
      const { mkdir } = await import("node:fs/promises");
      await mkdir(folder);
      const at = (path: string) => join(folder, path);
      return {
        folder,
        run: (args: string, around?: Around) => run(`${args} --project ${folder}`, around),
        json: async (args: string) => JSON.parse((await run(`${args} --json --project ${folder}`)).stdout),
        files: () => contentOf(folder),
        paths: async () => Object.keys(await contentOf(folder)).sort(),
        read: (path: string) => readFile(at(path), "utf8"),
        write: async (path: string, text: string) => {
          await mkdir(join(at(path), ".."), { recursive: true });
          await writeFile(at(path), text);
        },
        record: async () => JSON.parse(await readFile(at("promptreg.installed.json"), "utf8")),
      };
    },
  };
}
