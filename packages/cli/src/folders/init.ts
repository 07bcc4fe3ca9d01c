import { readdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { PromptKind } from "@promptreg/core";
import { entryFiles, promptKinds } from "@promptreg/core/content";
import type { Context } from "../settings/context.ts";
import { InputError, UsageError } from "../errors.ts";
import { makeFolders } from "../disk/places.ts";
import { unwritable } from "../disk/update-files.ts";
import { adopt } from "./init/adopt.ts";
import { checkManifest } from "./local/check-manifest.ts";
import { manifestName } from "./local/manifest.ts";
import { ownerOf } from "./local/owner.ts";
import { starterOf } from "./local/starters.ts";
import { unreadable } from "../terminal/read-input.ts";
import { quoted } from "../terminal/text.ts";

interface Options {
  kind?: PromptKind;
  title?: string;
  slug?: string;
  into?: string;
}

export async function init(context: Context, folder: string, { into, ...options }: Options): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw unreadable(folder, error);
  });
  const { output } = context;
  const isOwn = Object.keys(options).length > 0 || there.some((name) => ownNames.has(name));
  if (there.length > 0 && !isOwn) {
    if (await adopt(context, folder, into)) return;
    // An example in the middle of a project would be pushed with all of it.
    if (there.some((name) => !name.startsWith(".")))
      throw new UsageError(
        `${folder} has files, and no prompts that are recognised. To make a prompt of all that is in it: --kind text. To begin one beside it: promptreg init ${quoted(join(folder, "prompts/my-prompt"))}`,
      );
  }
  const kind = options.kind ?? kindOf(there, folder);
  const slug = options.slug ?? slugOf(folder);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw new UsageError(
      `"${slug}" is not a valid slug. Set --slug: lower-case letters, digits and hyphens, such as support-reply.`,
    );
  const file = join(folder, manifestName);
  if (there.includes(manifestName)) throw new InputError(`${file} already exists.`);
  const owner = await ownerOf(context);
  const title = options.title ?? titleOf(slug);
  const prompt = owner === undefined ? slug : `${owner}/${slug}`;
  const manifest = checkManifest({ prompt, kind, title, visibility: "private" }, file);
  const entry = entryFiles[kind];
  const isBegun = there.includes(entry);
  try {
    await makeFolders(folder);
    // Nothing is overwritten, though another process be as fast.
    if (!isBegun) await writeFile(join(folder, entry), starterOf(kind, slug), { flag: "wx" });
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx" });
  } catch (error) {
    throw unwritable(folder, error, "It has no manifest.");
  }
  const { bold, dim } = output.colors;
  output.result({ folder, entry, manifest }, () =>
    [
      `${bold(join(folder, entry))}  ${dim(isBegun ? "is the prompt (unchanged)" : "is the prompt: edit it")}`,
      `${bold(file)}  ${dim("is its manifest")}`,
      `Next: promptreg push ${quoted(folder)}`,
    ].join("\n"),
  );
}

/** What makes a folder one prompt, that is not to be looked into for others. */
const ownNames = new Set<string>([manifestName, ...Object.values(entryFiles)]);

/** The kind of which there is an entry file already. */
function kindOf(names: readonly string[], folder: string): PromptKind {
  const kinds = promptKinds.filter((kind) => kind !== "media" && names.includes(entryFiles[kind]));
  if (kinds.length > 1)
    throw new UsageError(
      `${folder} contains ${kinds.map((kind) => entryFiles[kind]).join(" and ")}. Set --kind.`,
    );
  return kinds[0] ?? "text";
}

const slugOf = (folder: string) =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const titleOf = (slug: string) => `${slug.charAt(0).toUpperCase()}${slug.slice(1).replaceAll("-", " ")}`;
