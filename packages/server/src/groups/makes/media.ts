import { limits, type MediaKind, readEmbed } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { keepUpload, type StoredUpload } from "../../kernel/media/upload.ts";
import { showMedia, showNewMedia } from "../../kernel/media/uses.sql.ts";
import { insertItem, setCover, updateItem } from "./gallery.sql.ts";
import { touchMake } from "./makes.sql.ts";
import {
  added,
  reordering,
  requireRoom,
  requireStored,
  shownThing,
  storeOwn,
  removeThing,
  requireThing,
} from "./things.ts";

const table = "gallery_items";
const kinds: readonly MediaKind[] = ["image", "video", "model3d"];

export const add: HandlerWith<"makes.media.add", { prepared: StoredUpload | null }> = {
  async prepare(request) {
    const stored = await storeOwn(request, "show");
    if (stored && !kinds.includes(stored.kind))
      throw invalid("/file", "A gallery shows pictures, videos and models. Attach anything else as a file.");
    return stored;
  },

  async handle({ body, caller, target: make, prepared, sql, server, charge }) {
    await requireRoom(sql, table, {
      makeId: make.id,
      most: limits.galleryItemsPerMake,
      what: "items in its gallery",
    });
    requireStored(body, prepared);
    const { caption = null, alt = null } = "files" in body ? body.fields : body;
    const embed = "embedUrl" in body && body.embedUrl !== undefined ? readEmbed(body.embedUrl) : null;
    const given = "mediaId" in body ? (body.mediaId ?? null) : null;
    if (prepared) charge();
    const mediaId = prepared ? await keepUpload({ sql, server, caller }, prepared, alt ?? undefined) : given;
    const id = await insertItem(sql, { makeId: make.id, mediaId, embed, caption, alt });
    if (prepared && mediaId) await showNewMedia(sql, { subjectId: id, mediaId });
    else if (mediaId)
      await showMedia(sql, {
        subjectId: id,
        ids: [mediaId],
        ownerId: make.ownerId,
        kinds,
        field: "/mediaId",
      });
    if (make.coverItemId === null) await setCover(sql, { makeId: make.id, itemId: id });
    return added(sql, table, { make, id, caller, server });
  },
};

export const update: Handler<"makes.media.update"> = async ({
  params: { id },
  body: { cover, ...texts },
  caller,
  target: make,
  sql,
  server,
}) => {
  await requireThing(sql, table, { make, id });
  const isOther = await updateItem(sql, { id, ...texts });
  const isNewCover = cover === true && make.coverItemId !== id;
  if (isNewCover) await setCover(sql, { makeId: make.id, itemId: id });
  if (isOther || isNewCover) await touchMake(sql, make.id);
  const json = await shownThing(sql, table, { make, id, caller, server });
  return { status: 200, json };
};

const remove: Handler<"makes.media.delete"> = async ({ params: { id }, target: make, sql }) => {
  const ids = await removeThing(sql, table, { make, id });
  if (make.coverItemId === id) {
    const next = ids[ids.indexOf(id) + 1] ?? ids[ids.indexOf(id) - 1] ?? null;
    await setCover(sql, { makeId: make.id, itemId: next });
  }
  return { status: 204 };
};
export { remove as delete };

export const reorder: HandlerWith<"makes.media.reorder", {}> = reordering(table);
