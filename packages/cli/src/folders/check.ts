import { cell, countOf } from "../terminal/text.ts";
import type { Context } from "../settings/context.ts";
import { type Detail, InputError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import type { LeftBehind } from "./local/read-folder.ts";
import { leftBehindNote } from "./compare/left-behind.ts";
import { readParts } from "./local/read-prompt.ts";
import { applyRules, type Sending } from "./local/rules.ts";
import { createSelection } from "./local/selection.ts";

/** A folder, and what the registry would say of it. */
interface Checked {
  folder: string;
  /** Its address as the manifest has it; null where that cannot be read. */
  prompt: string | null;
  problems: Detail[];
  warnings: Detail[];
  leftBehind: LeftBehind[];
}

export async function check(
  { output }: Context,
  given: readonly string[],
  { schema = false, ...sending }: { schema?: boolean; allowSecrets?: boolean },
): Promise<void> {
  if (schema) {
    const { manifestSchema } = await import("./local/manifest-schema.ts");
    output.result(manifestSchema());
    return;
  }
  const places = placesOr(given);
  const selection = createSelection(places, output.note);
  const results: Checked[] = [];
  const folders = new Map<string, string>();
  for (const folder of await findFolders(places, selection)) {
    const one = await checkFolder(folder, { ...sending, selection });
    const twin = one.prompt === null ? undefined : folders.get(one.prompt);
    if (twin !== undefined) one.problems.push({ path: "prompt", message: `is also in ${twin}` });
    folders.set(one.prompt ?? "", folder);
    results.push(one);
  }
  for (const note of results.flatMap(notesOf)) output.note(note);
  const faulty = results.filter(({ problems }) => problems.length > 0);
  output.result({ results }, () => asText(results, faulty, output));
  if (faulty.length > 0)
    throw new InputError(`${faulty.length} of ${countOf(results.length, "prompt")} would be refused.`);
}

async function checkFolder(
  folder: string,
  { selection, ...sending }: Sending & Pick<Parameters<typeof readParts>[1] & object, "selection">,
): Promise<Checked> {
  const { manifest, ...parts } = await readParts(folder, { selection });
  const { problems, leftBehind } = parts;
  // Without its kind nothing can be said of the files, nor where they could not be read.
  if (manifest === null || (parts.files.length === 0 && problems.length > 0))
    return { folder, prompt: manifest?.prompt ?? null, problems, warnings: [], leftBehind };
  const verdict = await applyRules({ ...parts, manifest }, sending);
  return {
    folder,
    prompt: manifest.prompt,
    problems: [...problems, ...verdict.problems],
    warnings: verdict.warnings,
    leftBehind,
  };
}

function notesOf({ folder, warnings, leftBehind }: Checked): string[] {
  return [
    ...warnings.map(({ path, message }) => `${[folder, path].filter(Boolean).join(": ")}: ${message}`),
    ...leftBehindNote({ folder, leftBehind }),
  ];
}

function asText(results: readonly Checked[], faulty: readonly Checked[], output: Output): string {
  const { bold, dim } = output.colors;
  if (faulty.length === 0) return dim(`${countOf(results.length, "prompt")} passed all offline checks`);
  return faulty
    .flatMap(({ folder, problems }) =>
      problems.map(
        ({ path, message }) => `${bold(cell(folder))}: ${cell(path ? `${path}: ${message}` : message)}`,
      ),
    )
    .join("\n");
}
