import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolders, pathFromTo } from "../../disk/places.ts";
import { unwritable } from "../../disk/update-files.ts";
import { eachConcurrently } from "../../requests/concurrently.ts";
import type { Context } from "../../settings/context.ts";
import { cell, countOf, quoted } from "../../terminal/text.ts";
import { findCopies } from "../import/copies.ts";
import { type FoundPrompt, findPrompts } from "../import/find.ts";
import { openFolder } from "../import/folder-source.ts";
import { freeName, type Imported, importedInto } from "../import/plan.ts";
import { sayAlike, sayLeftOut, sayLicenses, sayWarnings, sayWhatElse } from "../import/report.ts";
import { manifestName, type Manifest } from "../local/manifest.ts";
import { ownerOf } from "../local/owner.ts";
import { createSelection } from "../local/selection.ts";

/** A prompt that stays where it is, and the folder that gets its manifest. */
interface Adopted {
  prompt: FoundPrompt;
  folder: string;
  manifest: Manifest;
  /** It has a manifest already. */
  isKnown: boolean;
}

/**
 * Gives manifests to the prompts of a tree, which stay where they are: a skill in its folder; a file of another tool from a folder of
 * its own below `into`, which names it as its source. False if there are none.
 */
export async function adopt(context: Context, folder: string, given?: string): Promise<boolean> {
  const { output, confirm } = context;
  const source = await openFolder(folder, createSelection([folder], output.note));
  sayLeftOut(source, output);
  const tree = source.root;
  const into = given ?? join(tree, "prompts");
  let count = 0;
  const progress = output.progress(
    () => `${countOf(count, "prompt")} found in ${countOf(source.files.length, "file")}`,
  );
  const found = await findPrompts(source, {
    fromOf: (path) => path,
    onFound: (n) => void (count = n),
  }).finally(progress.end);
  // A skill keeps its folder, so that of a skill with a manifest only this says that it has one.
  const prompts = found.prompts.filter(
    ({ detector, kind }) => detector !== "prompt-folder" || kind === "skill",
  );
  const imported = await importedInto(into);
  const own = new Set(source.files.map(({ path }) => path));
  const isKnown = ({ sourcePath, kind }: FoundPrompt) =>
    kind === "skill"
      ? own.has(sourcePath.replace(/(?<![^/])[^/]*$/, manifestName))
      : imported.sources.has(resolve(tree, sourcePath));
  const whole = prompts.filter(({ part }) => part === null);
  const { copies, alike } = await findCopies(source, whole, isKnown);
  const single = whole.filter((prompt) => isKnown(prompt) || !copies.has(prompt));
  const place = { tree, into, owner: await ownerOf(context), imported };
  const adopted = single.map((prompt) => ({ ...toAdopted(prompt, place), isKnown: isKnown(prompt) }));
  if (prompts.length === 0 && found.refused.length === 0) return false;
  sayWhatElse([], found.refused, output);
  for (const [prompt, taken] of copies)
    if (!isKnown(prompt))
      output.note(`${prompt.sourcePath} is a copy of ${taken.sourcePath}: it gets no manifest.`);
  sayAlike(
    [...alike].filter(([prompt]) => !isKnown(prompt)),
    output,
  );
  const several = new Set(prompts.flatMap(({ part, sourcePath }) => (part === null ? [] : [sourcePath])));
  for (const path of several)
    output.note(
      `${path} holds several prompts. Copy them into folders: promptreg import ${quoted(join(tree, path))}`,
    );
  const fresh = adopted.filter(({ isKnown }) => !isKnown);
  const table = () =>
    output.table(
      ["status", "kind", "format", "variables", "file", "manifest"],
      adopted.map(({ prompt, folder, isKnown }) => [
        isKnown ? "has one" : "new",
        prompt.kind,
        prompt.format,
        prompt.variables.map(({ name }) => name).join(", ") || "none",
        cell(prompt.sourcePath),
        cell(join(folder, manifestName)),
      ]),
    );
  if (fresh.length > 0) {
    sayWarnings(
      fresh.map(({ prompt }) => [prompt.sourcePath, prompt.warnings]),
      output,
    );
    sayLicenses(
      fresh.map(({ prompt }) => prompt),
      output,
    );
    if (!output.isJson) output.draw(table);
    await confirm(`Write ${countOf(fresh.length, "manifest")}? The files stay where they are.`);
    await eachConcurrently(fresh, write);
  }
  output.result(
    {
      adopted: adopted.map(({ prompt, folder, manifest, isKnown }) => ({
        folder,
        file: prompt.sourcePath,
        isKnown,
        manifest,
      })),
      refused: found.refused,
    },
    () => (fresh.length > 0 ? `Next: promptreg push ${quoted(tree)}` : table()),
  );
  return true;
}

/** What prompts are adopted in. */
interface Place {
  tree: string;
  into: string;
  owner: string | undefined;
  imported: Imported;
}

function toAdopted(prompt: FoundPrompt, { tree, into, owner, imported }: Place): Omit<Adopted, "isKnown"> {
  const { kind, title, summary, tags, license, slug, sourcePath } = prompt;
  const isFolder = kind === "skill";
  const known = imported.sources.get(resolve(tree, sourcePath));
  const folder = isFolder
    ? join(tree, dirname(sourcePath))
    : (known ?? join(into, freeName(slug, imported.taken)));
  const file = pathFromTo(folder, join(tree, sourcePath));
  return {
    prompt,
    folder,
    manifest: {
      prompt: owner === undefined ? slug : `${owner}/${slug}`,
      kind,
      title,
      ...(summary !== null && { summary }),
      ...(tags.length > 0 && { tags }),
      ...(license !== null && { license }),
      visibility: "private",
      ...(!isFolder && { source: file }),
    },
  };
}

async function write({ folder, manifest }: Adopted): Promise<void> {
  const file = join(folder, manifestName);
  try {
    await makeFolders(folder);
    // Nothing is overwritten, though another process be as fast.
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx" });
  } catch (error) {
    // On a full disk an empty one would be left.
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") await rm(file, { force: true }).catch(() => {});
    throw unwritable(folder, error, "It has no manifest.");
  }
}
