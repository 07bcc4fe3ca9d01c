import { apiError } from "@promptreg/core/errors";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { keepUpload, type StoredUpload, storeUpload } from "../../kernel/media/upload.ts";
import { dropFiles } from "../../kernel/store/stored-files.ts";
import { deleteMedia, selectMedia } from "./media.sql.ts";
import { isShown } from "./seen.sql.ts";

export const create: HandlerWith<"media.create", { prepared: StoredUpload }> = {
  prepare: ({ body: { fields, files }, caller, server }) =>
    storeUpload(files, fields.purpose ?? "show", { caller, server }),

  async handle({ body: { fields }, caller, prepared, sql, server }) {
    const id = await keepUpload({ sql, server, caller }, prepared, fields.alt);
    return {
      status: 201,
      json: await selectMedia(sql, { id, viewerId: caller.id, ...siteOf(server) }),
      location: `${server.publicUrl}/api/v1/media/${id}`,
    };
  },
};

export const get: Handler<"media.get"> = async ({ caller, target: { id }, sql, server }) => ({
  status: 200,
  json: await selectMedia(sql, { id, viewerId: caller?.id ?? null, ...siteOf(server) }),
});

const remove: Handler<"media.delete"> = async ({ target: { id, ownerId }, sql, audit }) => {
  if (await isShown(sql, id)) throw apiError("media_in_use");
  await deleteMedia(sql, id);
  await dropFiles(sql, { usedBy: id, accountId: ownerId });
  await audit("media.delete", id);
  return { status: 204 };
};
export { remove as delete };
