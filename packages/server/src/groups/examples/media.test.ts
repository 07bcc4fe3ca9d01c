import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload } from "../../../test/media.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  await publish(alice, "painter");
});
afterAll(() => server.stop());

const path = "/prompts/alice/painter/examples";
const isSeen = async (who: Pick<Person, "request">, id: string) =>
  (await who.request(`GET /media/${id}`)).status === 200;

test("an example shows its author's media, in their order, with an output or without", async () => {
  const [first, second] = [
    await upload(server, bob, png()),
    await upload(server, bob, "a", { purpose: "file" }),
  ];
  const mediaIds = [second, first];
  const { id, output, media } = await expectDone(bob, `POST ${path}`, { mediaIds });
  expect([output, media.map((one: { id: string }) => one.id)]).toEqual([null, mediaIds]);
  const edit = (body: object) => bob.request(`PATCH ${path}/${id}`, { body });
  const refused = await edit({ mediaIds: [] });
  expect(codeOf(refused)).toEqual([422, "validation_failed"]);
  expect(refused.json.error.details).toMatchObject([{ path: "/output" }]);
  expect((await edit({ output: "Here" })).json.media).toHaveLength(2);
  expect((await edit({ mediaIds: [] })).json).toMatchObject({ output: "Here", media: [] });
  expect(codeOf(await edit({ output: null }))).toEqual([422, "validation_failed"]);
  expect((await edit({ output: null, mediaIds: [first] })).json.media).toHaveLength(1);
  expect((await edit({ title: "Still without words" })).json).toMatchObject({ output: null, media: [{}] });
  expect((await bob.request(`DELETE /media/${second}`)).status).toBe(204);
  await bob.request(`DELETE ${path}/${id}`);
  expect((await bob.request(`DELETE /media/${first}`)).status).toBe(204);
});

test("an example needs an answer, and shows no media of others, none twice and no more than ten", {
  tags: "long",
}, async () => {
  const own = await upload(server, alice, png());
  const foreign = await upload(server, bob, png());
  const create = async (body: object) => codeOf(await alice.request(`POST ${path}`, { body }));
  expect(await create({ title: "Empty" })).toEqual([422, "validation_failed"]);
  expect(await create({ mediaIds: [own, foreign] })).toEqual([404, "not_found"]);
  expect(await create({ mediaIds: [own, own] })).toEqual([422, "validation_failed"]);
  expect(
    await create({ mediaIds: Array.from({ length: 11 }, (_, n) => `med_${"0".repeat(24)}${10 + n}`) }),
  ).toEqual([422, "validation_failed"]);
});

test("who sees an example sees its media, while it waits, when it is approved, and when its prompt is hidden", async () => {
  const mediaId = await upload(server, bob, png());
  const { id } = await expectDone(bob, `POST ${path}`, { mediaIds: [mediaId] });
  const seenBy = () => Promise.all([bob, alice, carol, server.nobody].map((who) => isSeen(who, mediaId)));
  const urlFor = async (who: Pick<Person, "request">) =>
    (await who.request(`GET ${path}/${id}`)).json.media[0].url;
  const stable = `${server.url}/media/${mediaId}`;
  expect(await seenBy()).toEqual([true, true, false, false]);
  const signed = await urlFor(alice);
  expect(signed).toMatch(/signature=/);
  expect([(await fetch(signed)).status, (await fetch(stable)).status]).toEqual([200, 404]);
  await expectDone(alice, `POST /examples/${id}/approve`);
  expect(await seenBy()).toEqual([true, true, true, true]);
  expect([await urlFor(server.nobody), (await fetch(stable)).status]).toEqual([stable, 200]);
  await expectDone(alice, "PATCH /prompts/alice/painter", { visibility: "private" });
  expect(await seenBy()).toEqual([true, true, false, false]);
  expect((await fetch(stable)).status).toBe(404);
  await expectDone(alice, "PATCH /prompts/alice/painter", { visibility: "public" });
  expect((await fetch(stable)).status).toBe(200);
});

test("an ETag of an example does not outlive the addresses of its media", { tags: "long" }, async () => {
  await server.setClock("2030-01-01T10:59:59Z");
  const mediaId = await upload(server, bob, png());
  const { id } = await expectDone(bob, `POST ${path}`, { mediaIds: [mediaId] });
  const etag = (await bob.request(`GET ${path}/${id}`)).headers.get("etag") ?? "";
  const again = async () =>
    (await bob.request(`GET ${path}/${id}`, { headers: { "if-none-match": etag } })).status;
  expect(await again()).toBe(304);
  await server.setClock("2030-01-01T11:00:00Z");
  expect(await again()).toBe(200);
});

test("media of an example whose prompt was deleted can be deleted, since nobody sees it any more", {
  tags: "long",
}, async () => {
  await publish(alice, "short");
  const id = await upload(server, bob, png());
  await expectDone(bob, "POST /prompts/alice/short/examples", { mediaIds: [id] });
  expect(codeOf(await bob.request(`DELETE /media/${id}`))).toEqual([409, "media_in_use"]);
  await alice.request("DELETE /prompts/alice/short");
  expect((await bob.request(`GET /media/${id}`)).json.inUse).toBe(false);
  expect((await bob.request(`DELETE /media/${id}`)).status).toBe(204);
});
