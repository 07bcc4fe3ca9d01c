import picocolors from "picocolors";
import { countsOf, printDiff } from "../print-diff.ts";
import { plain } from "../output.ts";
import type { Pushed } from "./push-prompt.ts";

/** A comment on a pull request holds 65,536 characters; what is said beside the diffs needs some. */
const maxDiffLength = 50_000;

/** What a push would do, as markdown for a comment on a pull request. */
export function planAsMarkdown(results: readonly Pushed[]): string {
  const changing = results.filter(({ status, labels }) => status !== "unchanged" || labels.length > 0);
  const unchanged = results.length - changing.length;
  if (changing.length === 0) return "### Prompts\n\nA push would change nothing.";
  const rows = changing.map((pushed) => `| \`${pushed.ref}\` | ${becomes(pushed)} | ${effectOf(pushed)} |`);
  let left = maxDiffLength;
  const diffs = changing.flatMap(({ ref, diff }) => {
    if (!diff) return [];
    const shown = foldedDiff(ref, diff);
    left -= shown.length;
    return [left >= 0 ? shown : `The diff of \`${ref}\` is too long for this comment.`];
  });
  return [
    "### Prompts that a push would change",
    ["| prompt | would | difference |", "|---|---|---|", ...rows].join("\n"),
    ...(unchanged === 0 ? [] : [`Unchanged: ${unchanged}.`]),
    ...diffs,
  ].join("\n\n");
}

function becomes({ status, labels, diff, versionNumber }: Pushed): string {
  const version = diff ? `become the version after ${diff.from.n}` : "get a version again";
  const does = { created: "be created", committed: version, unchanged: `stay at version ${versionNumber}` };
  const labelled = labels.map((name) => `\`${name}\``).join(", ");
  return `${does[status]}${labelled && `, labelled ${labelled}`}`;
}

const effectOf = ({ diff }: Pushed) =>
  diff ? `${countsOf(diff)}${diff.variables.breaking ? ", **breaking**" : ""}` : "";

function foldedDiff(ref: string, diff: NonNullable<Pushed["diff"]>): string {
  const text = printDiff(diff, { colors: picocolors.createColors(false), foreign: plain });
  // Longer than any fence in the prompt, so that nothing in it ends the block.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `<details><summary>${ref}: ${countsOf(diff)}</summary>\n\n${fence}diff\n${text}\n${fence}\n\n</details>`;
}
