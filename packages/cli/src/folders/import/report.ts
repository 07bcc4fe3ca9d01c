import type { RefusedPrompt } from "@promptreg/core/imports";
import type { Output } from "../../terminal/output.ts";
import { cell, countOf } from "../../terminal/text.ts";
import { filesLost } from "../local/read-prompt.ts";
import type { FoundPrompt } from "./find.ts";
import type { LocalSource } from "./folder-source.ts";
import type { Imported, PlannedImport } from "./plan.ts";
import type { NamedSource } from "./with-source.ts";

const words = {
  new: "new",
  unchanged: "unchanged",
  kept: "changed here",
  outdated: "changed there",
  changed: "differs",
  updated: "updated",
  merged: "merged",
  secret: "left out",
  copy: "copy",
} satisfies Record<PlannedImport["status"], string>;

/** A line for each prompt: what becomes of it, what it is, and where it was found. */
export function planTable(planned: readonly PlannedImport[], output: Output): string {
  const { green, yellow, dim, bold } = output.colors;
  const paints = {
    new: green,
    updated: green,
    merged: green,
    unchanged: dim,
    kept: dim,
    copy: dim,
    outdated: yellow,
    changed: yellow,
    secret: yellow,
  };
  return output.table(
    ["status", "prompt", "kind", "format", "variables", "found in"],
    planned.map(({ prompt, folder, status }) => [
      paints[status](words[status]),
      bold(cell(folder)),
      prompt.kind,
      prompt.format,
      prompt.variables.map(({ name }) => name).join(", ") || "none",
      cell(prompt.from),
    ]),
  );
}

/** So many warnings are told of one prompt, and so many files of licenses. */
const most = 5;
/** So many are named of what is not taken. */
const mostNamed = 20;

/** Says what of a source is not there: entries of an archive, and links. */
export function sayLeftOut({ leftOut = [] }: LocalSource, { note }: Output): void {
  sayFirst(leftOut, mostNamed, {
    each: ({ path, reason }) => note(`${path} was left out: ${reason}`),
    rest: (count) => note(`${count} more were left out.`),
  });
}

/** Says something of each of the first, and once of all others. */
function sayFirst<One>(
  all: readonly One[],
  most: number,
  { each, rest }: { each: (one: One) => void; rest: (count: number) => void },
): void {
  for (const one of all.slice(0, most)) each(one);
  if (all.length > most) rest(all.length - most);
}

/** Says what was changed or lost, what looks like a secret, and what was refused and why. */
export function sayWhatElse(
  planned: readonly PlannedImport[],
  refused: readonly RefusedPrompt[],
  output: Output,
): void {
  const { note, isJson } = output;
  if (isJson) return;
  const copies = planned.filter(({ copyOf }) => copyOf !== undefined);
  sayFirst(copies, mostNamed, {
    each: ({ prompt, copyOf }) =>
      note(
        `${prompt.from} is a copy of ${copyOf}, which is taken. Take it instead: --only ${prompt.sourcePath}`,
      ),
    rest: (count) => note(`${count} more are copies. --json shows all.`),
  });
  sayAlike(
    planned.flatMap(({ prompt, status, alike }) =>
      status === "new" && alike !== undefined ? [[prompt, alike]] : [],
    ),
    output,
  );
  const deleted = planned.flatMap(({ status, again }) =>
    status === "updated" && again?.local ? filesLost(again.local, again.files) : [],
  );
  sayFirst(deleted, mostNamed, {
    each: (path) => note(`${path} is deleted: the source does not have it.`),
    rest: (count) => note(`Also deleted: ${countOf(count, "more file")}.`),
  });
  const taken = planned.filter(({ status }) => status === "new" || status === "secret");
  sayWarnings(
    taken.map(({ prompt }) => [prompt.from, prompt.warnings]),
    output,
  );
  for (const { prompt, secrets } of taken)
    for (const { path, message } of secrets.slice(0, most))
      note(`${prompt.from}: ${path}, ${message.replace("sends it anyway", "imports it anyway")}.`);
  sayFirst(refused, mostNamed, {
    each: ({ sourcePath, part, format, reason }) =>
      note(`${sourcePath}${part === null ? "" : `#${part}`} was refused (${format}): ${reason}`),
    rest: (count) => note(`${count} more were refused. --json shows all.`),
  });
}

/** Says which prompts came from files that the source has no more. */
export function sayGone(source: NamedSource, { folders }: Imported, { note, isJson }: Output): void {
  if (isJson) return;
  const gone = [...folders].filter(([from]) => source.isGone(from));
  sayFirst(gone, most, {
    each: ([from, folder]) => note(`${folder} stays, though ${from} is gone.`),
    rest: (count) => note(`${count} more stay, though what they were imported from is gone.`),
  });
}

/** Says which prompts say the same as another one, and are none the less taken. */
export function sayAlike(pairs: readonly (readonly [FoundPrompt, FoundPrompt])[], { note }: Output): void {
  sayFirst(pairs, mostNamed, {
    each: ([prompt, other]) =>
      note(
        `${prompt.from} has the text of ${other.from}, and differs in ${differences(prompt, other).join(", ")}. Both are taken.`,
      ),
    rest: (count) => note(`${count} more have the text of another one, and are taken. --json shows all.`),
  });
}

function differences(a: FoundPrompt, b: FoundPrompt): string[] {
  const differs: string[] = (["name", "title", "summary", "tags", "license"] as const).filter(
    (field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]),
  );
  const [[entry], [other]] = [a.files, b.files];
  if (entry?.content !== other?.content) differs.push("entry file");
  return differs.length > 0 ? differs : ["files beside it"];
}

/** Says the warnings of prompts, those that several have in common once. */
export function sayWarnings(
  prompts: readonly (readonly [place: string, warnings: readonly string[]])[],
  { note }: Output,
): void {
  const said = prompts.flatMap(([place, warnings]) => {
    const texts: string[] = [];
    sayFirst(warnings, most, {
      each: (text) => texts.push(text),
      rest: (count) => texts.push(`${countOf(count, "more warning")}. --json shows all.`),
    });
    return texts.map((text) => ({ place, text }));
  });
  for (const [text, [first, ...others]] of Map.groupBy(said, (one) => one.text))
    note(`${first?.place}${others.length > 0 ? ` and ${countOf(others.length, "more file")}` : ""}: ${text}`);
}

/** Says from which files licenses come, and of how many prompts none is known. */
export function sayLicenses(prompts: readonly FoundPrompt[], { note, isJson }: Output): void {
  if (isJson) return;
  const unsaid = Map.groupBy(
    prompts.filter(({ license, licenseFrom }) => license === null || licenseFrom !== null),
    ({ licenseFrom }) => licenseFrom,
  );
  const without = unsaid.get(null)?.length ?? 0;
  unsaid.delete(null);
  sayFirst([...unsaid], most, {
    each: ([path, [first, ...others]]) =>
      note(`${path} says the license of ${countOf(others.length + 1, "prompt")}: ${first?.license}.`),
    rest: (count) =>
      note(`${countOf(count, "more file")} ${count === 1 ? "says" : "say"} licenses. --json shows all.`),
  });
  if (without > 0)
    note(
      `No license is known for ${countOf(without, "prompt")}: all rights are reserved until a manifest says one.`,
    );
}

/** `3 imported, 2 unchanged`. */
export function sumOf(
  planned: readonly PlannedImport[],
  refused: readonly RefusedPrompt[],
  isDryRun: boolean,
): string {
  const counts = Map.groupBy(planned, ({ status }) => status);
  const would = isDryRun ? "would be " : "";
  const said = {
    ...words,
    new: `${would}imported`,
    updated: `${would}updated`,
    merged: `${would}merged`,
    copy: "left out as a copy",
    outdated: "changed in the source",
  };
  const sums = Array.from(counts, ([status, { length }]) => `${length} ${said[status]}`);
  if (refused.length > 0) sums.push(`${refused.length} refused`);
  const [differing] = counts.get("changed") ?? [];
  if (differing?.again?.isTried)
    return `${sums.join(", ")}. What the last import brought to ${differing.folder} is not known here, so nothing can be merged: --update --overwrite takes the source's text`;
  const canUpdate = differing !== undefined || counts.has("outdated");
  return `${sums.join(", ")}${canUpdate ? ". --update brings what changed in the source, and keeps what changed here" : ""}`;
}
