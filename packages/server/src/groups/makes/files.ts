import { limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { linkFor } from "../../kernel/media/links.ts";
import { mediaParts } from "../../kernel/media/printed.sql.ts";
import { keepUpload, type StoredUpload } from "../../kernel/media/upload.ts";
import { showMedia, showNewMedia } from "../../kernel/media/uses.sql.ts";
import { insertFile, selectDownload, updateFile } from "./files.sql.ts";
import { touchMake } from "./makes.sql.ts";
import {
  added,
  requireRoom,
  requireStored,
  reordering,
  shownThing,
  storeOwn,
  removeThing,
  requireThing,
} from "./things.ts";

const table = "make_files";

/** Shows media of a maker as a file. */
const showFile = (sql: Sql, { id, mediaId, ownerId }: { id: string; mediaId: string; ownerId: string }) =>
  showMedia(sql, { subjectId: id, ids: [mediaId], ownerId, kinds: ["file"], field: "/mediaId" });

export const add: HandlerWith<"makes.files.add", { prepared: StoredUpload | null }> = {
  prepare: (request) => storeOwn(request, "file"),

  async handle({ body, caller, target: make, prepared, sql, server, charge }) {
    await requireRoom(sql, table, { makeId: make.id, most: limits.filesPerMake, what: "files" });
    requireStored(body, prepared);
    const { label, description = null } = "files" in body ? body.fields : body;
    if (prepared) charge();
    const given = "mediaId" in body ? body.mediaId : "";
    const mediaId = prepared ? await keepUpload({ sql, server, caller }, prepared) : given;
    const id = await insertFile(sql, { makeId: make.id, mediaId, label: label ?? null, description });
    if (prepared) await showNewMedia(sql, { subjectId: id, mediaId });
    else await showFile(sql, { id, mediaId, ownerId: make.ownerId });
    return added(sql, table, { make, id, caller, server });
  },
};

export const update: Handler<"makes.files.update"> = async ({
  params: { id },
  body: { mediaId, ...texts },
  caller,
  target: make,
  sql,
  server,
}) => {
  await requireThing(sql, table, { make, id });
  if (mediaId !== undefined) await showFile(sql, { id, mediaId, ownerId: make.ownerId });
  if (await updateFile(sql, { id, mediaId, ...texts })) await touchMake(sql, make.id);
  return {
    status: 200,
    json: await shownThing(sql, table, { make, id, caller, server }),
  };
};

const remove: Handler<"makes.files.delete"> = async ({ params: { id }, target: make, sql }) => {
  await removeThing(sql, table, { make, id });
  return { status: 204 };
};
export { remove as delete };

/** How long an address of a file works, in seconds. */
const linkSeconds = 300;

export const download: Handler<"makes.files.download"> = async ({
  params: { id },
  target: make,
  sql,
  server,
}) => {
  const found = await selectDownload(sql, { makeId: make.id, id });
  if (found === null) throw apiError("not_found", { message: `This make has no file ${id}.` });
  if (!found.isReady) throw apiError("media_not_ready");
  const path = `/media/${found.mediaId}${mediaParts.whole}`;
  return {
    status: 302,
    location: `${server.mediaUrl}${path}${linkFor(path, { ...found, seconds: linkSeconds })}`,
    traffic: [make, { id, ownerId: make.ownerId }].map((subject) => ({ act: "download", subject })),
  };
};

export const reorder: HandlerWith<"makes.files.reorder", {}> = reordering(table);
