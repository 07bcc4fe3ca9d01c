import { randomBytes } from "node:crypto";
import { apiError, invalid } from "@promptreg/core/errors";
import { requireBytes, storedBytes } from "../../kernel/changes/account-bytes.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import type { SpooledFile } from "../../kernel/input/multipart.ts";
import { dropFiles, keepFile, storeFile } from "../../kernel/store/stored-files.ts";
import { deleteMedia, insertMedia, selectMedia, wakeMedia } from "./media.sql.ts";
import { canReadImages } from "./processing/images.ts";
import { type Recognised, recognise } from "./recognise.ts";
import { isShown } from "./seen.sql.ts";

interface Stored extends Recognised {
  file: SpooledFile;
  key: string;
}

export const create: HandlerWith<"media.create", { prepared: Stored }> = {
  async prepare({ body: { fields, files }, caller, server }) {
    const file = onlyFile(files);
    const found = await recognise(file, fields.purpose ?? "show");
    if (found.kind === "image" && !canReadImages) {
      throw apiError("unavailable", {
        message: "This server takes no pictures: its operator has to install the package sharp.",
      });
    }
    // Before it is stored. What comes at once is counted again below.
    requireBytes(server, { stored: await storedBytes(server.sql, caller.id), more: file.size });
    return { ...found, file, key: await storeFile(server, file) };
  },

  async handle({ body: { fields }, caller, prepared: { file, key, ...found }, sql, server }) {
    const id = await insertMedia(sql, {
      ...found,
      ownerId: caller.id,
      filename: nameOf(file.filename),
      alt: fields.alt,
      key,
      file,
      linkSecret: randomBytes(32),
    });
    await keepFile(sql, { key, usedBy: id, accountId: caller.id });
    requireBytes(server, { stored: await storedBytes(sql, caller.id), more: 0 });
    await wakeMedia(sql);
    const { publicUrl, mediaUrl } = server;
    return {
      status: 201,
      json: await selectMedia(sql, { id, viewerId: caller.id, publicUrl, mediaUrl }),
      location: `${publicUrl}/api/v1/media/${id}`,
    };
  },
};

function onlyFile(files: readonly SpooledFile[]): SpooledFile {
  const [file] = files;
  if (file?.field !== "file") throw invalid("/file", "Send a file, in the field named file.");
  if (file.size === 0) throw invalid("/file", "The file is empty.");
  return file;
}

/** A name that a header, a terminal and a disk can bear; null if nothing of it is left. */
function nameOf(sent: string): string | null {
  const name = sent
    .slice(0, 1_000)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "")
    .trim();
  // By characters: half of one would be none.
  return name.match(/^.{0,255}/su)?.[0] || null;
}

export const get: Handler<"media.get"> = async ({
  caller,
  target: { id },
  sql,
  server: { publicUrl, mediaUrl },
}) => ({
  status: 200,
  json: await selectMedia(sql, { id, viewerId: caller?.id ?? null, publicUrl, mediaUrl }),
});

const remove: Handler<"media.delete"> = async ({ target: { id, ownerId }, sql, audit }) => {
  if (await isShown(sql, id)) throw apiError("media_in_use");
  await deleteMedia(sql, id);
  await dropFiles(sql, { usedBy: id, accountId: ownerId });
  await audit("media.delete", id);
  return { status: 204 };
};
export { remove as delete };
