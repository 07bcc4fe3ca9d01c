import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type Lockfile } from "@promptreg/client";
import { type RealRegistry, startReal } from "./real.ts";
import type { Around } from "./registry.ts";

/** A registry with prompts of ada's, and a folder with a lockfile. */
export interface LockScene {
  registry: RealRegistry;
  client: Client;
  folder: string;
  file: string;
  /** Commits a version of ada's prompt, which is made where there is none, and moves labels to it. */
  commit: (slug: string, content: string, labels?: string[]) => Promise<void>;
  /** Commits one of a chat. */
  commitChat: (slug: string, content: object, labels?: string[]) => Promise<void>;
  /** Runs a command on the lockfile. */
  run: (args: readonly string[], around?: Around) => ReturnType<RealRegistry["cli"]>;
  /** The same with --json, and its document. */
  json: (args: readonly string[]) => Promise<Record<string, unknown>>;
  text: () => Promise<string>;
  write: (text: string) => Promise<void>;
  /** Changes the lockfile as somebody would by hand. */
  edit: (change: (lockfile: Lockfile) => void) => Promise<void>;
  close: () => Promise<void>;
}

export async function startLockScene(): Promise<LockScene> {
  const registry = await startReal();
  const client = createClient(registry);
  const folder = await mkdtemp(join(tmpdir(), "promptreg-lock-"));
  const file = join(folder, "promptreg.lock");
  const known = new Set<string>();

  async function commitFile(slug: string, [path, content]: [string, string], labels: string[]) {
    const files = [{ path, content }];
    if (known.has(slug)) {
      await client.prompts.versions.create({ owner: "ada", slug, body: { files, labels } });
      return;
    }
    known.add(slug);
    const kind = path === "CHAT.json" ? "chat" : "text";
    await client.prompts.create({
      body: { kind, visibility: "public", slug, title: slug, files, labels },
    });
  }
  const run: LockScene["run"] = (args, around) => registry.cli([...args, "--file", file], around);
  const text = () => readFile(file, "utf8");
  const write = (content: string) => writeFile(file, content);

  return {
    registry,
    client,
    folder,
    file,
    commit: (slug, content, labels = []) => commitFile(slug, ["PROMPT.md", content], labels),
    commitChat: (slug, content, labels = []) =>
      commitFile(slug, ["CHAT.json", JSON.stringify(content)], labels),
    run,
    json: async (args) => JSON.parse((await run([...args, "--json"])).stdout) as Record<string, unknown>,
    text,
    write,
    async edit(change) {
      const lockfile = JSON.parse(await text()) as Lockfile;
      change(lockfile);
      await write(JSON.stringify(lockfile, null, 2));
    },
    async close() {
      await registry.close();
      await rm(folder, { recursive: true });
    },
  };
}
