import { apiError } from "@promptreg/core";
import type { Handler } from "./handler.ts";
import { hasNo } from "./labels.ts";
import { resolve } from "./prompts.ts";
import type { StoredPrompt } from "./world.ts";

/** The response with one file of a version. A null path means the entry file. */
function answerFile(
  prompt: StoredPrompt,
  { path, ...wanted }: { path: string | null; version?: number; label?: string },
) {
  const version = resolve(prompt, wanted)?.version;
  if (version === undefined) throw hasNo(prompt, "version that is not yanked");
  const file = version.files.find((one) => one.path === (path ?? version.entry));
  if (file === undefined) throw hasNo(prompt, `file ${path}`);
  if (file.encoding !== "utf8") {
    throw apiError("not_text", { message: `${path} is binary. Get the version to read it as base64.` });
  }
  return {
    status: 200 as const,
    text: file.content ?? "",
    etag: file.sha256,
    ...(wanted.version !== undefined && {
      immutable: prompt.visibility === "public" ? ("public" as const) : ("private" as const),
    }),
  };
}

export const get: Handler<"prompts.raw.get"> = ({ query: { path = null, ...wanted }, target }) =>
  answerFile(target, { path, ...wanted });

export const getFile: Handler<"prompts.raw.getFile"> = ({ params: { path }, query: wanted, target }) =>
  answerFile(target, { path, ...wanted });
