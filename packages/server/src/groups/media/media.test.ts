import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload, uploadOf } from "../../../test/media.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { liftLimits } from "../../../test/stage.ts";
import { selectStorage } from "../../kernel/changes/account-bytes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let moderator: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  bob = await server.join("bob");
  moderator = await server.join("mod", { role: "moderator" });
});
afterAll(() => server.stop());

const sha256 = (content: Uint8Array | string) => createHash("sha256").update(content).digest("hex");
const send = (who: Person, content: Uint8Array<ArrayBuffer> | string, fields = {}, name = "a.bin") =>
  who.request("POST /media", { body: uploadOf(content, name, fields) });
const get = async (who: Pick<Person, "request">, id: string) => (await who.request(`GET /media/${id}`)).json;
/** How many files the store has. */
const stored = () =>
  readdirSync(server.context.store.place, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;
const sweep = async () => {
  await server.workOff();
};

describe("an upload", () => {
  test("is processing until a worker has read it, which it wakes", async () => {
    const content = png({ width: 40, height: 30 });
    const { status, json, headers } = await send(alice, content, { alt: "A square" }, "größe 1.png");
    expect([status, headers.get("location")]).toEqual([201, `${server.url}/api/v1/media/${json.id}`]);
    expect((await server.sql`select from outbox where task = 'process_media'`).count).toBe(1);
    const sent = { size: content.length, sha256: sha256(content) };
    const shown = { kind: "image", mediaType: "image/png", alt: "A square", filename: "größe 1.png", sent };
    const unknown = { width: null, height: null, url: null, thumbnailUrl: null, sha256: null };
    expect(json).toMatchObject({ ...shown, ...unknown, status: "processing", inUse: false });
    expect(json.owner.handle).toBe("alice");
    await server.workOff();
    expect(await get(alice, json.id)).toMatchObject({ ...shown, status: "ready", width: 40, height: 30 });
  });

  test("of a picture that would stop moving is refused, and says in which form it would not", async () => {
    const [still, control] = [Buffer.from(png()), Buffer.alloc(20)];
    control.writeUInt32BE(8);
    control.write("acTL", 4);
    const animatedPng = Buffer.concat([still.subarray(0, 33), control, still.subarray(33)]);
    const animatedAvif = Buffer.from("0000001c66747970617669730000000061766966", "hex");
    for (const content of [animatedPng, animatedAvif]) {
      const { status, json } = await send(alice, new Uint8Array(content));
      expect([status, json.error.message]).toEqual([415, expect.stringMatching("GIF or WebP")]);
      expect((await send(alice, new Uint8Array(content), { purpose: "file" })).status).toBe(201);
    }
  });

  test("of what is no picture, video, sound or model is refused, unless it is a file to be downloaded", async () => {
    const nothing = ["Hello", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7\n", "solid a\nfacet\0"];
    for (const content of nothing)
      expect(codeOf(await send(alice, content))).toEqual([415, "unsupported_media_type"]);
    const types = {
      "print('hi')": "text/plain",
      "<!doctype html><script>alert(1)</script>": "text/plain",
      "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>": "application/octet-stream",
      "a\0b": "application/octet-stream",
      "%PDF-1.7\n": "application/pdf",
    };
    for (const [content, mediaType] of Object.entries(types)) {
      const id = await upload(server, alice, content, { purpose: "file" });
      const wanted = {
        kind: "file",
        mediaType,
        size: content.length,
        sha256: sha256(content),
        status: "ready",
      };
      expect(await get(alice, id)).toMatchObject(wanted);
    }
    // The first 4,100 bytes are looked at: they end within a letter.
    const texts = [Buffer.from(`a${"é".repeat(2_100)}`), Buffer.from("Müller", "latin1")];
    const ids = await Promise.all(
      texts.map((text) => upload(server, alice, new Uint8Array(text), { purpose: "file" })),
    );
    const found = await Promise.all(ids.map((id) => get(alice, id)));
    expect(found.map(({ mediaType }) => mediaType)).toEqual(["text/plain", "application/octet-stream"]);
  });

  test("of a picture as a file leaves it as it is", async () => {
    const content = png();
    const id = await upload(server, alice, content, { purpose: "file" });
    const wanted = { kind: "file", mediaType: "image/png", sha256: sha256(content), thumbnailUrl: null };
    expect(await get(alice, id)).toMatchObject(wanted);
  });

  test.each([
    ["no file", new FormData()],
    [
      "a file in another field",
      (() => {
        const form = new FormData();
        form.append("picture", new Blob(["a"]), "a");
        return form;
      })(),
    ],
    ["an empty file", uploadOf("")],
    ["an alt that is too long", uploadOf(png(), "a.png", { alt: "x".repeat(501) })],
    ["an unknown field", uploadOf(png(), "a.png", { caption: "x" })],
  ])("with %s is refused", async (_what, body) => {
    expect(codeOf(await alice.request("POST /media", { body }))).toEqual([422, "validation_failed"]);
  });

  test("with two files is refused", async () => {
    const body = uploadOf("a");
    body.append("file", new Blob(["b"]), "b");
    expect(codeOf(await alice.request("POST /media", { body }))).toEqual([413, "payload_too_large"]);
  });

  test("is bounded for its kind", { tags: "long" }, async () => {
    const mebibytes = (count: number, start: Uint8Array | string) =>
      new Uint8Array(Buffer.concat([Buffer.from(start), Buffer.alloc(count * 1024 * 1024)]));
    const mp3 = mebibytes(25, "ID3");
    expect(codeOf(await send(alice, mebibytes(10, png())))).toEqual([413, "payload_too_large"]);
    expect((await send(alice, mebibytes(10, png()).subarray(0, 10 * 1024 * 1024))).status).toBe(201);
    expect(codeOf(await send(alice, mp3))).toEqual([413, "payload_too_large"]);
    expect(codeOf(await send(alice, mebibytes(50, "a"), { purpose: "file" }))).toEqual([
      413,
      "payload_too_large",
    ]);
  });

  test("has a name that no header, terminal or disk minds", async () => {
    const names = {
      "a\u202egnp.exe": "agnp.exe",
      "../../etc/passwd": "passwd",
      ["名".repeat(300)]: "名".repeat(255),
      "\u2028": null,
      ["x".repeat(65_536)]: "x".repeat(255),
    };
    for (const [name, wanted] of Object.entries(names)) {
      const { json } = await send(alice, "a", { purpose: "file" }, name);
      expect(json.filename).toBe(wanted);
    }
  });

  test("counts for what its account may store, and is refused beyond it, with nothing left of it", async () => {
    const carol = await server.join("carol");
    const { context } = server;
    const usual = context.accountBytes;
    context.accountBytes = 1_000;
    await upload(server, carol, "x".repeat(600), { purpose: "file" });
    const before = stored();
    expect(codeOf(await send(carol, "x".repeat(401), { purpose: "file" }))).toEqual([409, "quota_exceeded"]);
    expect(stored()).toBe(before);
    expect((await selectStorage(server.sql, carol.id)).stored).toBe(600);
    expect((await send(carol, "x".repeat(400), { purpose: "file" })).status).toBe(201);
    context.accountBytes = usual;
  });
});

describe("media", () => {
  test("that nothing shows are their owner's alone, and a moderator's", async () => {
    const id = await upload(server, alice, png());
    expect(codeOf(await bob.request(`GET /media/${id}`))).toEqual([404, "not_found"]);
    expect(codeOf(await server.anonymous(`GET /media/${id}`))).toEqual([404, "not_found"]);
    expect((await moderator.request(`GET /media/${id}`)).json).toMatchObject({ id, sent: null });
  });

  test("that something private shows are seen by its owner too, and by nobody else", async () => {
    const id = await upload(server, bob, png());
    await publish(alice, "illustrated");
    await expectDone(bob, "POST /prompts/alice/illustrated/examples", { mediaIds: [id] });
    expect((await alice.request(`GET /media/${id}`)).json).toMatchObject({ id, sent: null });
    expect(codeOf(await (await server.join("carla")).request(`GET /media/${id}`))).toEqual([
      404,
      "not_found",
    ]);
  });

  test("that are an avatar are seen by everybody, without what was sent", async () => {
    const id = await upload(server, bob, png());
    const { json } = await bob.request("PATCH /me", { body: { avatarMediaId: id } });
    expect(json.avatarUrl).toBe(`${server.url}/media/${id}/thumbnail`);
    const seen = (await server.anonymous(`GET /media/${id}`)).json;
    expect(seen).toMatchObject({ id, inUse: true, sent: null, url: `${server.url}/media/${id}` });
    expect((await alice.request("GET /users/bob")).json.avatarUrl).toBe(json.avatarUrl);
    expect(codeOf(await bob.request(`DELETE /media/${id}`))).toEqual([409, "media_in_use"]);
    expect((await bob.request("PATCH /me", { body: { avatarMediaId: null } })).json.avatarUrl).toBe(null);
    expect((await bob.request(`DELETE /media/${id}`)).status).toBe(204);
  });

  test("can be shown once they are ready, and if they are pictures", { tags: "long" }, async () => {
    const avatar = async (avatarMediaId: string) =>
      codeOf(await alice.request("PATCH /me", { body: { avatarMediaId } }));
    const { json } = await send(alice, png());
    expect(await avatar(json.id)).toEqual([409, "media_not_ready"]);
    await server.workOff();
    expect(await avatar(json.id)).toEqual([200, undefined]);
    expect(await avatar(await upload(server, alice, "a", { purpose: "file" }))).toEqual([
      422,
      "validation_failed",
    ]);
    const film = await upload(server, alice, png());
    await server.sql`update media set kind = 'video' where id = ${film}`;
    expect(await avatar(film)).toEqual([422, "validation_failed"]);
    const broken = await upload(server, alice, png({ rows: 0 }));
    expect(await avatar(broken)).toEqual([409, "media_not_ready"]);
  });

  test("can be shown by a hundred things", { tags: "long" }, async () => {
    const id = await upload(server, alice, png());
    await server.sql`
      insert into media_uses (media_id, subject_id) select ${id}, 'col_' || n from generate_series(1, 100) n`;
    const body = { avatarMediaId: id };
    expect(codeOf(await alice.request("PATCH /me", { body }))).toEqual([409, "quota_exceeded"]);
    await server.sql`delete from media_uses where media_id = ${id} and subject_id = 'col_1'`;
    // The second time it is one of the hundred.
    for (const _ of [1, 2]) expect((await alice.request("PATCH /me", { body })).status).toBe(200);
  });

  test("that are deleted are gone, with their bytes", async () => {
    const carol = await server.join("dave");
    await sweep();
    const before = stored();
    const id = await upload(server, carol, png());
    // What was sent goes once it is written anew.
    await sweep();
    expect(stored()).toBe(before + 2);
    expect((await carol.request(`DELETE /media/${id}`)).status).toBe(204);
    expect(codeOf(await carol.request(`GET /media/${id}`))).toEqual([404, "not_found"]);
    await sweep();
    expect([stored(), (await selectStorage(server.sql, carol.id)).stored]).toEqual([before, 0]);
  });

  test("are shown by an account one at a time, also if two are chosen at once", {
    tags: "long",
  }, async () => {
    const ids = [await upload(server, bob, png()), await upload(server, bob, png())];
    await server.atOnce(
      (sql) => sql`select from users where id = ${bob.id} for update`,
      ids.map((avatarMediaId) => () => bob.request("PATCH /me", { body: { avatarMediaId } })),
    );
    const shown = await server.sql`
      select u.avatar_media_id = m.media_id as "isAvatar" from media_uses m join users u on u.id = m.subject_id
      where u.id = ${bob.id}`;
    expect(shown).toEqual([{ isAvatar: true }]);
  });

  test("are either deleted or shown, whoever comes first", { tags: "long" }, async () => {
    for (const order of ["delete first", "show first"]) {
      const id = await upload(server, alice, png());
      const show = () => alice.request("PATCH /me", { body: { avatarMediaId: id } });
      const remove = () => alice.request(`DELETE /media/${id}`);
      const both = order === "show first" ? [show, remove] : [remove, show];
      const answers = await server.atOnce((sql) => sql`select from media where id = ${id} for update`, both);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toBeOneOf([[200, 409], [204, 404].sort()]);
      const shown = await server.sql`select from users where avatar_media_id = ${id}`;
      expect(shown.count).toBe(statuses.includes(200) ? 1 : 0);
    }
  });
});
