import type { Result, ResultInput, Run } from "@promptreg/core";
import { replaceFile } from "../../disk/replace-file.ts";
import { reasonOf } from "./document.ts";
import { startOf } from "./limits.ts";

const maxOutput = 4000;
/** Written at once: a system call for each case takes longer than all the rest. */
const chunk = 64 * 1024;

/**
 * Writes results as JUnit's XML, one after the other. The totals at its head are those of the run. Whoever reads meanwhile
 * sees the former file.
 */
export const writeJunit = (
  path: string,
  results: AsyncIterable<Result | ResultInput>,
  { run }: { run: Run },
): Promise<void> => replaceFile(path, chunksOf(results, run));

async function* chunksOf(results: AsyncIterable<Result | ResultInput>, run: Run): AsyncGenerator<string> {
  const { total, failed, errored, skipped } = run.summary;
  const name = `${run.prompt.ref}@${run.versionNumber}`;
  const counts = `tests="${total}" failures="${failed}" errors="${errored}" skipped="${skipped}"`;
  const model = attribute("value", run.model);
  let text = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${attribute("name", name)} ${counts}>
<testsuite ${attribute("name", name)} ${counts}>
<properties><property name="model" ${model}/><property name="run" ${attribute("value", run.id)}/></properties>
`;
  for await (const result of results) {
    text += testCaseOf(result);
    if (text.length > chunk) {
      yield text;
      text = "";
    }
  }
  yield `${text}</testsuite>\n</testsuites>\n`;
}

/** Without a class, since readers put that before the name, by which cases are matched. */
function testCaseOf(result: Result | ResultInput): string {
  const { caseKey, latencyMs } = result;
  const time = typeof latencyMs === "number" ? ` time="${latencyMs / 1000}"` : "";
  const inside = outcomeOf(result);
  const open = `<testcase classname="" ${attribute("name", caseKey)}${time}`;
  return inside === "" ? `${open}/>\n` : `${open}>${inside}</testcase>\n`;
}

function outcomeOf(result: Result | ResultInput): string {
  if (result.status === "passed") return "";
  if (result.status === "skipped") return "<skipped/>";
  const { output } = result;
  const shown = output ? `<system-out>${escaped(startOf(output, maxOutput))}</system-out>` : "";
  if (result.status === "errored")
    return `<error ${attribute("message", reasonOf(result) ?? "errored")}/>${shown}`;
  const missed = (result.assertions ?? []).filter(({ passed }) => !passed);
  if (missed.length === 0) return `<failure ${attribute("message", result.error || "failed")}/>${shown}`;
  const failures = missed.map(
    ({ type, reason }) => `<failure ${attribute("type", type)} ${attribute("message", reason || "failed")}/>`,
  );
  return `${failures.join("")}${shown}`;
}

const attribute = (name: string, text: string) => `${name}="${escaped(text)}"`;

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // As they are, a reader takes them for spaces.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};
/** XML 1.0 knows no control characters, not even escaped. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replace(/[&<>"\t\n\r]/g, (sign) => entities[sign] ?? sign);
