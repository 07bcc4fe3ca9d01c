import type { Pushed } from "./types.ts";
import { cell, plain } from "../../terminal/text.ts";
import type { Style } from "../../terminal/style.ts";
import picocolors from "picocolors";
import { countsOf, printDiff } from "../../terminal/diff.ts";
import { printExposure } from "../../prompts/index.ts";
import type { Refused } from "../results.ts";

/** A comment on a pull request holds 65,536 characters; what is said beside the diffs needs some. */
const maxDiffLength = 50_000;

/** What a push would do, as markdown for a comment on a pull request. */
export function planAsMarkdown(results: readonly (Pushed | Refused)[]): string {
  const planned = results.filter((one) => one.status !== "refused");
  const changing = planned.filter(({ status, labels }) => status !== "unchanged" || labels.length > 0);
  const unchanged = planned.length - changing.length;
  const refused = results.filter((one) => one.status === "refused");
  if (changing.length === 0 && refused.length === 0) return "### Prompts\n\nA push would change nothing.";
  const rows = changing.map((pushed) => `| \`${pushed.ref}\` | ${becomes(pushed)} | ${effectOf(pushed)} |`);
  const opened = changing.flatMap(({ ref, opens }) => (opens ? [printExposure({ ref, opens }, bare)] : []));
  let left = maxDiffLength;
  const diffs = changing.flatMap(({ ref, diff }) => {
    if (!diff) return [];
    const shown = foldedDiff(ref, diff);
    left -= shown.length;
    return [left >= 0 ? shown : `The diff of \`${ref}\` is too long for this comment.`];
  });
  return [
    "### Prompts that a push would change",
    ...(rows.length === 0 ? [] : [["| prompt | would | difference |", "|---|---|---|", ...rows].join("\n")]),
    ...(opened.length === 0 ? [] : [`Others could then read:\n\n${fenced(opened.join("\n"))}`]),
    ...(refused.length === 0 ? [] : [`Refused:\n\n${fenced(refused.map(refusalText).join("\n"))}`]),
    ...(unchanged === 0 ? [] : [`Unchanged: ${unchanged}.`]),
    ...diffs,
  ].join("\n\n");
}

function becomes({ status, labels, diff, versionNumber, about, opens }: Pushed): string {
  const version = diff ? `become the version after ${diff.from.n}` : "get a version again";
  const stays = `stay at version ${versionNumber}`;
  const does = { created: "be created", committed: version, edited: stays, unchanged: stays };
  const labelled = labels.map((name) => `\`${name}\``).join(", ");
  const changed = Object.keys(about).join(", ");
  return [
    does[status],
    ...(labelled ? [`labelled ${labelled}`] : []),
    ...(changed ? [`with another ${changed}`] : []),
    ...(opens ? [`**${opens.isOpen ? "be" : "become"} ${opens.visibility}**`] : []),
  ].join(", ");
}

const refusalText = ({ folder, error }: Refused) =>
  [
    cell(`${folder}: ${error.message}`),
    ...error.details.map(({ path, message }) => cell(`  ${path}: ${message}`)),
  ].join("\n");

const effectOf = ({ diff }: Pushed) =>
  diff ? `${countsOf(diff)}${diff.variables.breaking ? ", **breaking**" : ""}` : "";

/** From so many characters on a changed line is searched for what changed. */
const paragraph = 100;

function foldedDiff(ref: string, diff: NonNullable<Pushed["diff"]>): string {
  const shown = fenced(printDiff(diff, bare, { wordsFrom: paragraph }), "diff");
  return `<details><summary>${ref}: ${countsOf(diff)}</summary>\n\n${shown}\n\n</details>`;
}

/** Without colours: they would be signs in a comment. */
const bare: Style = { colors: picocolors.createColors(false), foreign: plain };

/** Text in a fence longer than any in it, so that nothing in it ends the block. */
function fenced(text: string, language = "text"): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
