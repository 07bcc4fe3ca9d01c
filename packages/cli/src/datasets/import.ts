import type { Dataset, ImportedCases } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Detail, InputError, lookAt, UsageError } from "../errors.ts";
import { describeSecrets } from "../requests/secrets.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { readInput } from "../terminal/read-input.ts";
import { cell, countOf } from "../terminal/text.ts";
import { findDataset, type FoundDataset, hasDataset, refOf, titleOf } from "./find.ts";

interface Options {
  format?: FileFormat;
  replace?: boolean;
  dryRun?: boolean;
  create?: boolean;
  allowSecrets?: boolean;
}

type FileFormat = "csv" | "jsonl" | "promptfoo";
const types = { csv: "text/csv", jsonl: "application/x-ndjson", promptfoo: "application/x-ndjson" } as const;

/** A file as it is sent. */
interface CaseFile {
  name: string;
  text: string;
  type: (typeof types)[FileFormat];
}

/** Whether cases have names of their own, by the first line. */
function hasKeys({ text, type }: CaseFile): boolean {
  const [first = ""] = text.replace(/^\uFEFF/, "").split("\n", 1);
  return type === types.csv ? /(?:^|,)\s*"?key"?\s*(?:,|$)/i.test(first.trim()) : first.includes('"key"');
}

export async function importCases(
  context: Context,
  prompt: PromptAddress,
  datasetName: string,
  source: string,
  options: Options,
): Promise<void> {
  const { connect, output, stdin } = context;
  const given = await readInput(source, stdin);
  const name = source === "-" ? "standard input" : source;
  if (!options.allowSecrets) {
    const secrets = await describeSecrets([{ path: name, text: given }]);
    if (secrets.length > 0) throw new InputError(`${name} is not imported.`, secrets);
  }
  const format = options.format ?? formatOf(source, given);
  const text = format === "promptfoo" ? await linesOfTests(source, given, output) : given;
  const file = { name, text, type: types[format] };
  const client = await connect();
  const isNew = options.create === true && !(await hasDataset(client, prompt, datasetName));
  if (isNew) {
    if (options.dryRun)
      throw new UsageError(`There is no dataset "${datasetName}" to try it on. Create it first.`);
    await client.evals.datasets.create({ body: { prompt: refOf(prompt), name: datasetName } });
  }
  const found = await findDataset(client, prompt, datasetName);
  try {
    const imported = await importFile(context, client, found, { file, ...options });
    const { added, skipped, removed, warnings } = imported;
    const counts = options.replace
      ? `${countOf(added, "case")} new or different, ${skipped} as before, ${removed} removed`
      : `${countOf(added, "case")} added, ${skipped} there already`;
    const what = `${cell(file.name)}: ${counts}`;
    const { dryRun = false } = options;
    output.result({ dataset: found.dataset.id, dryRun, added, skipped, removed, warnings }, () =>
      dryRun ? `${what}, if it were imported` : what,
    );
    for (const warning of warnings) output.note(warning);
    if (!options.replace && added > 0 && !hasKeys(file))
      output.note(
        `These cases have no key: another import of this file adds them again. ${format === "promptfoo" ? "Describe each test" : "Give them a column key"}, or use --replace.`,
      );
  } catch (error) {
    // All or nothing: a dataset that was made for a refused file goes as well, unless anything has changed in it.
    if (isNew) await client.evals.datasets.delete({ id: found.dataset.id }, found.unchanged).catch(() => {});
    throw error;
  }
}

async function importFile(
  { confirm, output }: Context,
  client: Client,
  found: FoundDataset,
  { file, replace, dryRun }: Options & { file: CaseFile },
): Promise<ImportedCases> {
  const { dataset } = found;
  const send = async (isTrial: boolean) => {
    const size = (file.text.length / 1_000_000).toFixed(1);
    const progress = output.progress(() => `importing ${file.name} (${size} MB)`);
    const mode = replace ? "replace" : "append";
    return sendFile(client, found, { file, query: { mode, ...(isTrial && { dryRun: true }) } }).finally(
      progress.end,
    );
  };
  // A replacement is tried first, to say what would be lost.
  const tried = dryRun || replace ? await send(true) : undefined;
  const lost = tried && replace ? lossOf(dataset, tried) : "";
  if (tried && dryRun) {
    if (lost) output.note(`${lost}.`);
    return tried;
  }
  if (lost) await confirm(`Replace the cases of ${titleOf(dataset)}? ${lost}.`);
  return lookAt(send(false), `promptreg dataset show ${dataset.prompt.ref} ${JSON.stringify(dataset.name)}`);
}

/** What a replacement takes away of what is there. Empty if nothing. */
function lossOf({ caseCount }: Dataset, { removed, skipped }: ImportedCases): string {
  const changed = caseCount - removed - skipped;
  const losses = [
    ...(removed > 0 ? [`${countOf(removed, "case")} would be removed`] : []),
    ...(changed > 0 ? [`${countOf(changed, "case")} would be overwritten`] : []),
  ];
  return losses.join(", ");
}

/** The tests of a configuration of promptfoo, a case on each line. */
async function linesOfTests(source: string, text: string, { note }: Output): Promise<string> {
  const { readPromptfooCases } = await import("@promptreg/core/imports");
  try {
    const { cases, warnings } = readPromptfooCases(source, text);
    for (const warning of warnings) note(warning);
    return cases.map((one) => `${JSON.stringify(one)}\n`).join("");
  } catch (error) {
    throw (error as Error).name === "ImportError"
      ? new InputError(`${source} is not imported. ${(error as Error).message}`)
      : error;
  }
}

/** By the name of the file, else by how it begins. */
function formatOf(source: string, text: string): FileFormat {
  if (/\.csv$/i.test(source)) return "csv";
  if (/\.ya?ml$|(?:^|[/\\])promptfooconfig[^/\\]*\.json$/i.test(source)) return "promptfoo";
  const start = text.trimStart();
  if (start.startsWith("["))
    throw new InputError(`${source} is a JSON list. Write one case on each line, without the list (JSONL).`);
  return /\.(jsonl|ndjson)$/i.test(source) || start.startsWith("{") ? "jsonl" : "csv";
}

/** @throws {InputError} with the lines of the file that are wrong. */
async function sendFile(
  client: Client,
  { dataset: { id }, unchanged }: FoundDataset,
  { file, query }: { file: CaseFile; query: { mode: "append" | "replace"; dryRun?: boolean } },
): Promise<ImportedCases> {
  // What is replaced is what was shown: a dataset that changed meanwhile is left as it is.
  const headers = { ...(query.mode === "replace" && unchanged.headers) };
  try {
    const options = { headers, contentType: file.type };
    const imported = await client.evals.datasets.import({ id, query, body: file.text }, options);
    if (imported.errors.length === 0) return imported;
    throw refused(
      file,
      imported.errors.map(({ line, path, message }) => problemOf(line, path, message)),
    );
  } catch (error) {
    const details = error instanceof ApiError ? error.details : [];
    const lines = details.map(({ path, message }) => {
      const [start = "", line] = /^\/lines\/(\d+)/.exec(path) ?? [];
      return line === undefined ? undefined : problemOf(line, path.slice(start.length), message);
    });
    if (lines.length === 0 || lines.includes(undefined)) throw error;
    throw refused(
      file,
      lines.filter((line) => line !== undefined),
    );
  }
}

const problemOf = (line: number | string, path: string, message: string): Detail => ({
  path: `line ${line}${path.replaceAll("/", " ")}`,
  message,
});

const refused = ({ name }: CaseFile, problems: readonly Detail[]) =>
  new InputError(
    `${name} is not imported. ${countOf(problems.length, "error")}${problems.length < 100 ? "" : " or more"}:`,
    problems,
  );
