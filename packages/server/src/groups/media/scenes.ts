import { expectDone, type GroupScenes, type Stage, type Thing } from "../../../test/scenes.ts";
import { png, uploadOf } from "../../../test/media.ts";

/** Uploads a picture, which is then ready as if a worker had read it. */
async function upload({ server: { sql }, owner }: Stage): Promise<string> {
  const { status, json, text } = await owner.request("POST /media", { body: uploadOf(png()) });
  if (status !== 201) throw new Error(`an upload answered ${status}: ${text}`);
  await sql`update media set status = 'ready', width = 4, height = 3 where id = ${json.id}`;
  return json.id;
}

/** A collection of the owner with a cover. */
const withCover = async ({ owner }: Stage, { address }: Thing, visibility: string): Promise<Thing> => {
  const { id } = await expectDone(owner, "POST /collections", { title: "With a cover", visibility });
  await expectDone(owner, `PATCH /collections/${id}`, { coverMediaId: address });
  return { params: { id }, address: id };
};

/** An account has room for two hundred collections. */
const makeRoom = ({ server: { sql }, owner }: Stage) => sql`
  update collections set deleted_at = clock()
  where id in (select id from collections where owner_id = ${owner.id} and deleted_at is null order by id desc offset 100)`;

export const scenes: GroupScenes<"media"> = {
  kinds: {
    media: {
      make: async (stage, { visibility }) => {
        await makeRoom(stage);
        const id = await upload(stage);
        const thing = { params: { id }, address: id };
        if (visibility === "public") await withCover(stage, thing, "public");
        return thing;
      },
    },
  },
  operations: {
    create: { file: { name: "model.stl", content: "solid a\nfacet normal 0 0 1\nendsolid a\n" } },
    get: { etag: "printed" },
    delete: {
      // What shows them ends, and they stay.
      prepare: async ({ server: { sql } }, { address }) =>
        sql`delete from media_uses where media_id = ${address}`,
    },
  },
  shows: async (stage) => ({ media: (await stage.make("media")).thing }),
  changes: {
    "a cover of a collection": async ({ owner }, { collection, media }) =>
      expectDone(owner, `PATCH /collections/${collection.address}`, { coverMediaId: media.address }),
    "an avatar": ({ owner }, { media }) => expectDone(owner, "PATCH /me", { avatarMediaId: media.address }),
  },
};
