import type { Pushed } from "./types.ts";
import { cell, countOf } from "../../terminal/text.ts";
import { type MetadataChanges, isWider, printMetadataChanges } from "../../prompts/index.ts";
import type { Output } from "../../terminal/output.ts";
import { printDiff } from "../../terminal/diff.ts";
import { planAsMarkdown } from "./markdown.ts";
import { leftBehindNote } from "../compare/left-behind.ts";
import type { Refused } from "../results.ts";

/** What became of a folder, or would. */
export type Ended = Pushed | Refused;

/** So many are told one by one whatever became of them. */
const few = 5;

/** Tells what became of each folder: results on standard output, refusals and remarks beside them. */
export function reportPush(
  ended: readonly Ended[],
  { isDryRun, markdown, total }: { isDryRun: boolean; markdown: boolean; total: number },
  output: Output,
): void {
  const pushed = ended.filter((one) => one.status !== "refused");
  for (const note of notesOn(pushed)) output.note(note);
  // Somebody else's template language shows here, before an application misses a value.
  for (const note of pushed.flatMap(variablesNote)) output.note(note);
  if (output.isJson || markdown) output.result({ isDryRun, results: ended }, () => planAsMarkdown(ended));
  else print(pushed, isDryRun, output);
  if (total > few && pushed.length > 0 && !output.isJson && !markdown) output.note(sumOf(pushed, isDryRun));
  reportRefused(ended, total, output);
}

const mostVariables = 12;

function variablesNote({ folder, status, variables }: Pushed): string[] {
  if (status === "unchanged" || variables.length === 0) return [];
  const shown = [...variables.slice(0, mostVariables), ...(variables.length > mostVariables ? ["…"] : [])];
  return [`${folder}: ${countOf(variables.length, "variable")}: ${shown.join(", ")}`];
}

/** `12 created, 979 unchanged`. */
function sumOf(pushed: readonly Pushed[], isDryRun: boolean): string {
  const counts = Map.groupBy(pushed, ({ status }) => status);
  const would = (status: string) => (isDryRun && status !== "unchanged" ? `would be ${status}` : status);
  return [...counts].map(([status, { length }]) => `${length} ${would(status)}`).join(", ");
}

/** Says why folders were refused, and how many of all; what is said of several in one sentence, once. */
export function reportRefused(ended: readonly { status: string }[], total: number, output: Output): void {
  const refused = ended.filter((one): one is Refused => one.status === "refused");
  const reported = new Set<string>();
  for (const { folder, error } of refused) {
    if (!error.message.includes(folder) || !reported.has(error.message)) output.refusal(folder, error);
    reported.add(error.message);
  }
  if (refused.length > 0 && total > 1)
    output.note(
      `${refused.length} of ${countOf(total, "prompt")} ${refused.length === 1 ? "was" : "were"} refused.`,
    );
}

function print(pushed: readonly Pushed[], isDryRun: boolean, output: Output): void {
  const isUneventful = ({ status, labels, labelsLeft }: Pushed) =>
    status === "unchanged" && labels.length === 0 && labelsLeft.length === 0;
  const areFew = pushed.filter(isUneventful).length <= few;
  for (const one of areFew ? pushed : pushed.filter((one) => !isUneventful(one)))
    output.result(one, () => asText(one, isDryRun, output));
}

function asText(
  { ref, status, versionNumber, about, files, opens, labels, labelsLeft, diff }: Pushed,
  isDryRun: boolean,
  output: Output,
): string {
  const { bold, dim, green, yellow } = output.colors;
  const version = versionNumber === null ? "the next version" : `version ${versionNumber}`;
  const done = {
    created: green(isDryRun ? "would be created" : "created"),
    committed: green(isDryRun ? `would become ${version}` : `is now at ${version}`),
    edited: green(isDryRun ? `would be edited at ${version}` : `edited at ${version}`),
    unchanged: dim(`unchanged at ${version}`),
  }[status];
  const moved =
    labels.length === 0 ? "" : `, ${isDryRun ? "and would be " : ""}labelled ${labels.join(", ")}`;
  const left =
    labelsLeft.length === 0
      ? ""
      : yellow(`; ${labelsLeft.join(", ")} was moved away from it and is not moved back`);
  const changes = Object.keys(about).length === 0 ? "" : `\n${printMetadataChanges(about, output)}`;
  // What others can read was listed before it was asked about.
  const more = status === "created" && opens === null && files.length > 1 ? files : [];
  const listed = more.map((path) => `\n  ${cell(path)}`).join("");
  const patch = diff ? `\n${printDiff(diff, output)}` : "";
  return `${bold(cell(ref))} ${done}${moved}${left}${listed}${changes}${patch}`;
}

/** Says what stays as it is in the registry; of the visibility also which it is. */
function leftNotes(folder: string, ref: string, left: MetadataChanges): string[] {
  const { visibility } = left;
  const named = Object.keys(left).map((field) =>
    field === "visibility" && visibility ? `visibility (now ${visibility.from})` : field,
  );
  if (named.length === 0) return [];
  const wider =
    visibility && isWider(visibility.to, visibility.from)
      ? ` \`promptreg edit ${ref} --visibility ${visibility.to}\` widens it.`
      : "";
  const [stays, them] = named.length === 1 ? ["stays as it is", "it"] : ["stay as they are", "them"];
  return [
    `${folder}: the ${namesOf(named)} changed in the registry only, and ${stays} there. \`promptreg pull\` writes ${them} here.${wider}`,
  ];
}

/** `title, summary and tags`. */
const namesOf = (names: readonly string[]) => names.join(", ").replace(/, ([^,]+)$/, " and $1");

function notesOn(pushed: readonly Pushed[]): string[] {
  const notes = pushed.flatMap(({ folder, ref, status, warnings, leftBehind, aboutLeft }) => [
    ...warnings.map(({ message }) => `${folder}: ${message}`),
    ...(status === "unchanged" ? [] : leftBehindNote({ folder, leftBehind })),
    ...leftNotes(folder, ref, aboutLeft),
  ]);
  const named = pushed.filter(({ ownerWritten }) => ownerWritten);
  const [owner] = named[0]?.ref.split("/") ?? [];
  if (owner === undefined) return notes;
  const where =
    named.length === 1 ? `${named[0]?.folder}/promptreg.json names` : `${named.length} manifests name`;
  return [...notes, `${where} the owner ${owner} now.`];
}
