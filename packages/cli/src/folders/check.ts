import { ApiError } from "@promptreg/core/errors";
import { eachConcurrently } from "../requests/concurrently.ts";
import { originOf } from "../settings/profiles.ts";
import { cell, countOf } from "../terminal/text.ts";
import { accountOf } from "./compare/account.ts";
import { findBase } from "./compare/base.ts";
import { locate, readPrompts } from "./compare/locate.ts";
import { readState } from "./local/state.ts";
import type { Context } from "../settings/context.ts";
import { type Detail, InputError, UsageError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import type { LeftBehind } from "./local/read-folder.ts";
import { leftBehindNote } from "./compare/left-behind.ts";
import { type LocalPrompt, readParts } from "./local/read-prompt.ts";
import { applyRules, type Sending } from "./local/rules.ts";
import { createSelection, type Selection } from "./local/selection.ts";

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
  context: Context,
  given: readonly string[],
  { schema = false, ...sending }: { schema?: boolean; allowSecrets?: boolean },
): Promise<void> {
  const { output } = context;
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
  const isAsked = await askRegistry(context, results, selection);
  for (const note of results.flatMap(notesOf)) output.note(note);
  const faulty = results.filter(({ problems }) => problems.length > 0);
  output.result({ results }, () => asText(results, faulty, { output, isAsked }));
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

/**
 * Where there is a token, asks the registry whether the names of folders that were never pushed from here belong to other prompts: a push
 * would be refused. Nothing else of a check needs the network, so an outage is but a note.
 */
async function askRegistry(
  { connectForMany, destination, output }: Context,
  results: readonly Checked[],
  selection: Selection,
): Promise<boolean> {
  const valid = results.filter(({ problems }) => problems.length === 0);
  if (valid.length === 0) return false;
  try {
    const { token, url } = await destination();
    if (token === undefined) return false;
    const origin = originOf(url);
    const prompts = await readPrompts(
      valid.map(({ folder }) => folder),
      { isThorough: false, selection },
    );
    const unknown: LocalPrompt[] = [];
    for (const local of prompts) if ((await readState(local, origin)) === null) unknown.push(local);
    if (unknown.length === 0) return true;
    const { client } = await connectForMany();
    const { located, find } = await locate(client, unknown, accountOf(client));
    await eachConcurrently(located, async ({ local, address }) => {
      const remote = await find(address);
      if (remote === null || (await findBase(client, local, remote, { origin })) !== null) return;
      const one = results.find(({ folder }) => folder === local.folder);
      one?.problems.push({
        path: "prompt",
        message: `${remote.ref} is in the registry already, and no version of it is this text: choose another name, or pull it`,
      });
    });
    return true;
  } catch (error) {
    const isTold = [ApiError, InputError, UsageError].some((kind) => error instanceof kind);
    if (!isTold && (error as Error).name !== "ConnectionError") throw error;
    output.note(`The registry was not asked whether the names are free: ${(error as Error).message}`);
    return false;
  }
}

function notesOf({ folder, warnings, leftBehind }: Checked): string[] {
  return [
    ...warnings.map(({ path, message }) => `${[folder, path].filter(Boolean).join(": ")}: ${message}`),
    ...leftBehindNote({ folder, leftBehind }),
  ];
}

function asText(
  results: readonly Checked[],
  faulty: readonly Checked[],
  { output, isAsked }: { output: Output; isAsked: boolean },
): string {
  const { bold, dim } = output.colors;
  if (faulty.length === 0)
    return dim(
      `${countOf(results.length, "prompt")} passed all offline checks${isAsked ? ", and no other prompt of the registry has their names" : ""}`,
    );
  return faulty
    .flatMap(({ folder, problems }) =>
      problems.map(
        ({ path, message }) => `${bold(cell(folder))}: ${cell(path ? `${path}: ${message}` : message)}`,
      ),
    )
    .join("\n");
}
