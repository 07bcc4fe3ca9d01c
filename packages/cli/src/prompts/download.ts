import { dirname } from "node:path";
import { type FormatName, formatNames } from "@promptreg/core/formats";
import type { PromptAddress } from "@promptreg/core/refs";
import { recoverRuns } from "../disk/recover.ts";
import { isThere, writeWhole } from "../disk/write-whole.ts";
import { Interrupted, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { cell, sizeOf } from "../terminal/text.ts";
import { fileNameIn } from "./file-name.ts";

const archives = ["zip", "tar.gz"] as const;
const isArchive = (name: string) => archives.some((one) => one === name);

interface Options {
  format: string;
  out?: string;
  unwrap?: boolean;
  dataset?: string;
}

export async function download(
  { confirm, connect, holdInterrupts, output, stdout }: Context,
  { owner, slug, ...which }: PromptAddress,
  { format: name, out, unwrap, dataset }: Options,
): Promise<void> {
  const format = formatOf(name);
  if (out === "-" && stdout.isTTY)
    throw new UsageError(
      "A terminal cannot show an archive. Name a file with -o, or send it through a pipe.",
    );
  const client = await connect();
  const signal = holdInterrupts();
  const query = { ...which, format, ...(unwrap && { unwrap }), ...(dataset && { dataset }) };
  const { response } = await client.prompts.download({ owner, slug, query }, { signal }).withResponse();
  const { headers } = response;
  const warning = headers.get("x-format-warning");
  if (warning !== null) output.note(warning);
  if (!unwrap && !isArchive(format) && !out?.endsWith(".zip"))
    output.note("This is a zip. If the format has one file, --unwrap gives the file itself.");
  const file = out ?? fileNameIn(headers.get("content-disposition"), `${slug}.${name}`);
  let count = 0;
  const progress = output.progress(() => `downloaded: ${sizeOf(count)}`);
  const chunks = counted(response.body as AsyncIterable<Uint8Array>, (size) => (count += size), signal);
  try {
    if (file === "-") {
      for await (const chunk of chunks) stdout.write(chunk);
      return;
    }
    for (const text of await recoverRuns(dirname(file))) output.note(text);
    await writeWhole(file, chunks, async () => {
      progress.end();
      if (await isThere(file)) await confirm(`Overwrite ${cell(file)}?`);
    });
  } finally {
    progress.end();
    // What is not read keeps its connection.
    await response.body?.cancel().catch(() => undefined);
  }
  output.result({ file, bytes: count }, () => `${cell(file)} ${output.colors.dim(`(${sizeOf(count)})`)}`);
}

function formatOf(name: string): (typeof archives)[number] | FormatName {
  const known = [...archives, ...formatNames];
  const format = known.find((one) => one === name);
  if (format === undefined)
    throw new UsageError(`Unknown format ${name}. Known: ${known.join(", ")}.${didYouMean(name, known)}`);
  return format;
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  count: (size: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      count(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted("Stopped. Nothing was written.") : error;
  }
}
