import type { Context } from "../context.ts";
import { type Output, plain } from "../output.ts";
import { type Pushed, type PushOptions, pushPrompt } from "../push/push-prompt.ts";
import { readPrompt } from "../push/read-prompt.ts";

export async function push(
  { connect, output }: Context,
  folders: readonly string[],
  options: PushOptions,
): Promise<void> {
  const isDryRun = options.dryRun === true;
  // All are read before any is sent, so that a mistake in the last leaves none half done.
  const prompts = [];
  for (const folder of folders) prompts.push(await readPrompt(folder, { isThorough: isDryRun }));
  const client = await connect();
  let me: Promise<{ handle: string }> | undefined;
  const account = async () => (await (me ??= client.users.me.get())).handle;

  const results: Pushed[] = [];
  try {
    for (const prompt of prompts) {
      const pushed = await pushPrompt(client, prompt, account, options);
      results.push(pushed);
      for (const note of notesOf(pushed)) output.note(note);
      if (!output.isJson) output.result(pushed, () => asText(pushed, { isDryRun }, output));
    }
  } finally {
    // Where one failed, those before it are told of nevertheless: they are in the registry.
    if (output.isJson) output.result({ isDryRun, results });
  }
}

function asText(
  { ref, status, versionNumber, labels }: Pushed,
  { isDryRun }: { isDryRun: boolean },
  { colors: { bold, dim, green } }: Output,
): string {
  const version = versionNumber === null ? "the next version" : `version ${versionNumber}`;
  const done = {
    created: green(isDryRun ? "would be created" : "created"),
    committed: green(isDryRun ? `would become ${version}` : `is now at ${version}`),
    unchanged: dim(`unchanged at ${version}`),
  }[status];
  const moved = labels.length === 0 ? "" : ` ${isDryRun ? "and would be" : ""} labelled ${labels.join(", ")}`;
  return `${bold(plain(ref))} ${done}${moved && `,${moved.replace(/ +/g, " ")}`}`;
}

function notesOf({ folder, warnings, differing }: Pushed): string[] {
  const notes = warnings.map(({ message }) => `${folder}: ${message}`);
  if (differing.length === 0) return notes;
  return [
    ...notes,
    `${folder}: the registry has another ${differing.join(", ")}. A push changes files only.`,
  ];
}
