import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { ResultInput, Run, RunComparison } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { InputError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import type { EvalDocument } from "./documents/document.ts";
import { writeSummary } from "./github.ts";

/** Files to write about a run. */
export interface DocumentOptions {
  junit?: string;
  markdown?: string;
  html?: string;
}

/** Finds before anything is reported what could not be written after it. */
export async function checkPlaces({ junit, markdown, html }: DocumentOptions): Promise<void> {
  const files = [junit, markdown, html].filter((file) => file !== undefined);
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new InputError(`${twice} is named for two documents.`);
  for (const file of files) {
    await access(dirname(file), constants.W_OK).catch(() => {
      throw new InputError(`${file} cannot be written: its folder does not exist, or may not be changed.`);
    });
  }
}

/** What the documents are made of. */
export interface Reported {
  run: Run;
  /** The first page. */
  comparison: RunComparison | null;
  /** Why there is none, though it was asked for. */
  uncompared: string | null;
  /** Reads the results again. */
  results: () => AsyncIterable<ResultInput>;
  /** Whether the token may read what documents show beside the run. */
  canRead: boolean;
}

/** Writes the files that were asked for, and the summary of the step in GitHub Actions. */
export async function writeDocuments(
  { env, output }: Pick<Context, "env" | "output">,
  client: Client,
  { run, comparison, uncompared, results, canRead }: Reported,
  { junit, markdown, html }: DocumentOptions,
): Promise<void> {
  if (junit !== undefined) {
    const { writeJunit } = await import("./documents/junit.ts");
    await writeJunit(junit, results(), { run });
  }
  if (markdown === undefined && html === undefined && !env.GITHUB_STEP_SUMMARY) return;
  const document = canRead
    ? await (await import("./documents/gather.ts")).gatherDocument(client, { run, comparison, uncompared })
    : documentOf(run);
  await writePages(document, { markdown, html });
  if (!env.GITHUB_STEP_SUMMARY) return;
  const { markdownOf } = await import("./documents/markdown.ts");
  await writeSummary(env, markdownOf(document), output);
}

/** Writes a document as a page, as Markdown, or as both. */
export async function writePages(
  document: EvalDocument,
  { markdown, html }: Pick<DocumentOptions, "markdown" | "html">,
): Promise<void> {
  if (html !== undefined) {
    const { htmlOf } = await import("./documents/html/page.ts");
    await replaceFile(html, htmlOf(document));
  }
  if (markdown !== undefined) {
    const { markdownOf } = await import("./documents/markdown.ts");
    await replaceFile(markdown, markdownOf(document));
  }
}

/** What a token that may only report can tell of its run. */
const documentOf = (run: Run): EvalDocument => ({
  run,
  comparison: null,
  uncompared: null,
  cases: [],
  unread: run.summary.total,
  areCasesVisible: false,
  scores: [],
});
