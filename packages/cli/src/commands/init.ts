import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { PromptKind } from "@promptreg/core";
import { entryFiles } from "@promptreg/core/content";
import type { Context } from "../context.ts";
import { InputError, UsageError } from "../errors.ts";
import { manifestName } from "../push/manifest.ts";
import { starterOf } from "../push/starters.ts";
import { unreadable } from "../read-input.ts";

export async function init(
  { output }: Context,
  folder: string,
  { kind, title, slug = slugOf(folder) }: { kind: PromptKind; title?: string; slug?: string },
): Promise<void> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw new UsageError(
      `"${slug}" cannot name a prompt. Say --slug, in letters, digits and hyphens, such as support-reply.`,
    );
  const entry = entryFiles[kind];
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw unreadable(folder, error);
  });
  const taken = there.find((name) => name === entry || name === manifestName);
  if (taken !== undefined) throw new InputError(`${join(folder, taken)} is there already.`);
  const manifest = { prompt: slug, kind, title: title ?? titleOf(slug) };
  await mkdir(folder, { recursive: true });
  // Nothing is overwritten, though another process be as fast.
  await writeFile(join(folder, entry), starterOf(kind, slug), { flag: "wx" });
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx" });
  const { bold, dim } = output.colors;
  output.result({ folder, entry, manifest }, () =>
    [
      `${bold(join(folder, entry))}  ${dim("is the prompt: write it there")}`,
      `${bold(join(folder, manifestName))}  ${dim("says what it is")}`,
      `Then: promptreg push ${folder}`,
    ].join("\n"),
  );
}

const slugOf = (folder: string) =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");

const titleOf = (slug: string) => `${slug.charAt(0).toUpperCase()}${slug.slice(1).replaceAll("-", " ")}`;
