import type { MediaDetails } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { advised, awaitReady, send } from "./send.ts";

interface UploadOptions {
  alt?: string;
  asFile?: boolean;
  wait: boolean;
}

export async function upload(
  { connect, output }: Context,
  files: readonly string[],
  { alt, asFile, wait }: UploadOptions,
): Promise<void> {
  const client = await connect();
  const done: (MediaDetails | { id: string })[] = [];
  const failed: Error[] = [];
  for (const file of files) {
    output.note(`Uploading ${file}…`);
    try {
      const sent = await send(client, file, { alt, purpose: asFile ? "file" : "show" });
      // A token that may not read learns the id alone.
      done.push(wait && "status" in sent ? await awaitReady(client, sent, file) : sent);
    } catch (error) {
      const refused = advised(error as Error, "use --as-file");
      if (files.length === 1) throw refused;
      output.note(`${file}: ${refused.message}`);
      failed.push(refused);
    }
  }
  output.result(files.length === 1 ? done[0] : done, () =>
    output.table(
      ["id", "kind", "status", "url"],
      done.map((media) =>
        "status" in media
          ? [output.colors.bold(media.id), media.kind, media.status, cell(media.url ?? "")]
          : [media.id, "", "", ""],
      ),
    ),
  );
  const [first] = failed;
  if (first)
    throw Object.assign(first, { message: `${failed.length} of ${files.length} files were not uploaded.` });
}
