import { createHash } from "node:crypto";
import { recoverRuns } from "../disk/recover.ts";
import { dirname } from "node:path";
import { isThere, writeWhole } from "../disk/write-whole.ts";
import { CheckError, InputError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";

export async function downloadFile(
  { connect, confirm, holdInterrupts, output, stdout }: Context,
  slug: string,
  name: string,
  { out }: { out?: string },
): Promise<void> {
  const client = await connect();
  const { files } = await client.makes.get({ slug });
  const found = files.filter((file) => [file.id, file.label, file.filename].includes(name));
  const [file, ...others] = found;
  if (file === undefined) {
    const names = files.map(({ filename }) => cell(filename)).join(", ");
    throw new InputError(
      `${slug} has no file ${cell(name)}. ${names === "" ? "It has none." : `It has ${names}.`}`,
    );
  }
  if (others.length > 0)
    throw new InputError(
      `Several files are called so. Name one by its id: ${found.map(({ id }) => id).join(", ")}.`,
    );
  const signal = holdInterrupts();
  const { response } = await client.makes.files.download({ slug, id: file.id }, { signal }).withResponse();
  // Its uploader chose the name: it is a file here, and none that tools obey.
  const place =
    out ??
    (cell(file.filename)
      .replace(/[/\\:]/g, "_")
      .replace(/^[.-]+/, "_") ||
      file.id);
  let count = 0;
  const progress = output.progress(() => `downloaded: ${count} of ${file.size} bytes`);
  const digest = createHash("sha256");
  async function* checked(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      digest.update(chunk);
      count += chunk.length;
      yield chunk;
    }
    if (digest.digest("hex") !== file?.sha256)
      throw new CheckError(
        `What came of ${cell(name)} is not what the registry describes. Nothing is written.`,
      );
  }
  try {
    if (out === "-") {
      for await (const chunk of checked()) stdout.write(chunk);
      return;
    }
    for (const text of await recoverRuns(dirname(place))) output.note(text);
    await writeWhole(place, checked(), async () => {
      progress.end();
      if (await isThere(place)) await confirm(`Overwrite ${cell(place)}?`);
    });
  } finally {
    progress.end();
    await response.body?.cancel().catch(() => undefined);
  }
  output.result(
    { file: place, bytes: count, sha256: file.sha256 },
    () => `${cell(place)} ${output.colors.dim(`(${countOf(count, "byte")})`)}`,
  );
}
