import type { Client, Dataset, ImportedCases } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Detail, InputError, lookAt, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";
import { cell, countOf } from "../terminal/text.ts";
import { createDataset } from "./create.ts";
import { findDataset, type FoundDataset, hasDataset, refOf, titleOf } from "./find.ts";

interface Options {
  format?: FileFormat;
  replace?: boolean;
  dryRun?: boolean;
  create?: boolean;
}

type FileFormat = "csv" | "jsonl";
const types = { csv: "text/csv", jsonl: "application/x-ndjson" } as const;

/** A file as it is sent. */
interface CaseFile {
  name: string;
  text: string;
  type: (typeof types)[FileFormat];
}

export async function importCases(
  context: Context,
  prompt: PromptAddress,
  name: string,
  source: string,
  { format, replace, dryRun, create }: Options,
): Promise<void> {
  const { connect, confirm, output, stdin } = context;
  const text = await readInput(source, stdin);
  const file = {
    name: source === "-" ? "standard input" : source,
    text,
    type: types[format ?? formatOf(source, text)],
  };
  const client = await connect();
  if (create && !(await hasDataset(client, prompt, name))) {
    if (dryRun) throw new UsageError(`There is no dataset "${name}" to try it on. Create it first.`);
    await createDataset({ ...context, output: { ...output, result: () => {} } }, prompt, name, {});
  }
  const found = await findDataset(client, prompt, name);
  const { dataset } = found;
  const mode = replace ? "replace" : "append";
  const work = output.progress(() => `importing ${file.name} (${(text.length / 1_000_000).toFixed(1)} MB)`);
  const send = (isTrial: boolean) =>
    sendFile(client, found, { file, query: { mode, ...(isTrial && { dryRun: true }) } });
  try {
    // A replacement is tried first, to say what would be lost.
    const tried = dryRun || replace ? await send(true) : undefined;
    const lost = tried && replace ? lossOf(dataset, tried) : "";
    if (lost && !dryRun) {
      work.end();
      await confirm(`Replace the cases of ${titleOf(dataset)}? ${lost}.`);
    }
    const done =
      tried && dryRun
        ? tried
        : await lookAt(send(false), `promptreg dataset show ${refOf(prompt)} ${JSON.stringify(name)}`);
    work.end();
    const { added, skipped, removed } = done;
    const what = `${cell(file.name)}: ${countOf(added, "case")} new or different, ${skipped} as before, ${removed} removed`;
    output.result({ dataset: dataset.id, dryRun: dryRun ?? false, added, skipped, removed }, () =>
      dryRun ? `${what}, if it were imported` : what,
    );
    if (dryRun && lost) output.note(`${lost}.`);
  } finally {
    work.end();
  }
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

/** By the name of the file, else by how it begins. */
function formatOf(source: string, text: string): FileFormat {
  const start = text.trimStart();
  if (start.startsWith("["))
    throw new InputError(`${source} is a JSON list. Write one case on each line, without the list (JSONL).`);
  if (/\.(csv)$/i.test(source)) return "csv";
  return /\.(jsonl|ndjson)$/i.test(source) || start.startsWith("{") ? "jsonl" : "csv";
}

/** @throws {InputError} with the lines of the file that are wrong. */
async function sendFile(
  client: Client,
  { dataset: { id }, unchanged }: FoundDataset,
  { file, query }: { file: CaseFile; query: { mode: "append" | "replace"; dryRun?: boolean } },
): Promise<ImportedCases> {
  // What is replaced is what was shown: a dataset that changed meanwhile is left as it is.
  const headers = { ...(query.mode === "replace" && unchanged.headers), "content-type": file.type };
  try {
    const imported = await client.evals.datasets.import({ id, query, body: file.text }, { headers });
    if (imported.errors.length === 0) return imported;
    throw refused(
      file,
      imported.errors.map(({ line, path, message }) => problemOf(line, path, message)),
    );
  } catch (error) {
    const details = error instanceof ApiError ? error.details : [];
    const lines = details.map(({ path, message }) => {
      const [, line, rest = ""] = /^\/lines\/(\d+)(.*)$/s.exec(path) ?? [];
      return line === undefined ? undefined : problemOf(line, rest, message);
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
