import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { zipOf } from "../../../../core/src/archives/testing/zip.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  alice = await server.join(`alice-${++count}`);
});

const work = () => server.workOff();
const get = async (id: string) => (await alice.request(`GET /imports/${id}?limit=100`)).json;
const type = { "content-type": "application/octet-stream" };
const rangeOf = (file: Buffer, from: number, to: number) => ({
  ...type,
  "content-range": `bytes ${from}-${to - 1}/${file.length}`,
});
/** Begins an upload with the first bytes of a file. */
const begin = (file: Buffer, to = file.length, { name = "prompts.zip", sha256 = "" } = {}) =>
  alice.request(`POST /imports/upload?filename=${name}&size=${file.length}${sha256 && `&sha256=${sha256}`}`, {
    body: file.subarray(0, to),
    headers: type,
  });
const send = (id: string, file: Buffer, from: number, to: number) =>
  alice.request(`POST /imports/${id}/upload`, {
    body: file.subarray(from, to),
    headers: rangeOf(file, from, to),
  });

const archive = zipOf([
  { name: "repo/skills/pdf/SKILL.md", content: "---\nname: pdf\ndescription: Reads PDF\n---\n\nRead it.\n" },
  { name: "repo/skills/pdf/data.bin", content: randomBytes(3_000) },
  { name: "repo/.cursor/rules/style.mdc", content: "---\nalwaysApply: true\n---\n\nBe brief.\n" },
  { name: "repo/../../evil.md", content: "x" },
]);

describe("an upload", () => {
  test("of an archive as one chunk finds its prompts, and names what was left out", {
    tags: "long",
  }, async () => {
    const { status, json, headers } = await begin(archive);
    expect([status, json.status, json.source]).toEqual([
      202,
      "queued",
      { type: "archive", label: "prompts.zip" },
    ]);
    expect(headers.get("location")).toBe(`${server.url}/api/v1/imports/${json.id}`);
    await work();
    const { items, warnings, upload } = await get(json.id);
    expect(items.map(({ slug }: { slug: string }) => slug).sort()).toEqual(["pdf", "style"]);
    expect(warnings).toMatchObject([expect.stringContaining("evil.md")]);
    expect(upload).toEqual({ received: archive.length, size: archive.length, chunkSize: 8 * 1024 * 1024 });
    await alice.request(`POST /imports/${json.id}/commit`, { body: {} });
    await work();
    const draft = (await alice.request(`GET /prompts/${alice.handle}/pdf/draft`)).json.draft;
    expect(draft.files.map(({ path }: { path: string }) => path)).toEqual(["SKILL.md", "data.bin"]);
  });

  test("of an archive without files finds nothing", { tags: "long" }, async () => {
    const { json } = await begin(zipOf([]));
    await work();
    expect(await get(json.id)).toMatchObject({ status: "ready", source: { type: "archive" }, items: [] });
  });

  test("of a file that is no archive reads it by its name", async () => {
    const rows = Buffer.from('act,prompt\nPoet,"Write a poem about {topic}."\nCook,Cook.\n');
    const { json } = await begin(rows, rows.length, { name: "prompts.csv" });
    expect(json.source.type).toBe("chatExport");
    await work();
    expect((await get(json.id)).items).toMatchObject([{ title: "Poet" }, { title: "Cook" }]);
  });

  test("of an export of chats as an archive is one of chats", async () => {
    const long = "Write a story about a lighthouse keeper. ".repeat(20);
    const chats = [{ uuid: "1", name: "Story", chat_messages: [{ uuid: "2", sender: "human", text: long }] }];
    const { json } = await begin(zipOf([{ name: "conversations.json", content: JSON.stringify(chats) }]));
    await work();
    expect(await get(json.id)).toMatchObject({
      source: { type: "chatExport" },
      items: [{ confidence: 0.4 }],
    });
  });

  test("in chunks is whole after the last one, however often a chunk is sent", async () => {
    const { json } = await begin(archive, 1_000);
    expect([json.status, json.upload.received]).toEqual(["uploading", 1_000]);
    for (const _ of [1, 2]) expect((await send(json.id, archive, 0, 1_000)).json.upload.received).toBe(1_000);
    // Half of it is there already.
    expect((await send(json.id, archive, 500, 2_000)).json.upload.received).toBe(2_000);
    expect((await send(json.id, archive, 2_000, 2_001)).json.upload.received).toBe(2_001);
    const last = await send(json.id, archive, 2_001, archive.length);
    expect(last.json.status).toBe("queued");
    expect((await server.sql`select from outbox where task = 'work_on_imports'`).count).toBe(1);
    expect((await send(json.id, archive, 2_000, archive.length)).json.status).toBe("queued");
    await work();
    expect((await get(json.id)).items).toHaveLength(2);
    expect((await send(json.id, archive, 2_000, archive.length)).json.status).toBe("ready");
  });

  test("says from where a chunk is missing", async () => {
    const { json } = await begin(archive, 1_000);
    const answer = await send(json.id, archive, 1_001, 1_100);
    expect(codeOf(answer)).toEqual([409, "upload_offset_mismatch"]);
    expect(answer.json.error.details).toEqual([{ path: "received", code: "custom", message: "1000" }]);
    const headers = rangeOf(archive, 5, 1_005);
    const path = `POST /imports/upload?filename=a.zip&size=${archive.length}`;
    expect(codeOf(await alice.request(path, { body: archive.subarray(5, 1_005), headers }))).toEqual([
      409,
      "upload_offset_mismatch",
    ]);
  });

  test("takes each byte once, if the same chunk comes twice at once", { tags: "long" }, async () => {
    const { json } = await begin(archive, 1_000);
    const answers = await server.atOnce(
      (sql) => sql`select from imports where id = ${json.id} for update`,
      [
        () => send(json.id, archive, 1_000, archive.length),
        () => send(json.id, archive, 1_000, archive.length),
      ],
    );
    expect(answers.map(({ status, json: { upload } }) => [status, upload.received])).toEqual([
      [202, archive.length],
      [202, archive.length],
    ]);
    await work();
    expect((await get(json.id)).items).toHaveLength(2);
  });

  test("that is cancelled keeps no chunk that comes at the same time", async () => {
    const { json } = await begin(archive, 1_000);
    const answers = await server.atOnce(
      (sql) => sql`select from imports where id = ${json.id} for update`,
      [() => alice.request(`POST /imports/${json.id}/cancel`), () => send(json.id, archive, 1_000, 2_000)],
    );
    expect(answers[0]?.status).toBe(200);
    expect([202, 409]).toContain(answers[1]?.status);
    expect((await server.sql`select from import_chunks where import_id = ${json.id}`).count).toBe(0);
    expect(codeOf(await send(json.id, archive, 1_000, 2_000))).toEqual([409, "import_state"]);
  });

  test("fails if another file arrived than was announced", { tags: "long" }, async () => {
    const sha256 = createHash("sha256").update(archive).digest("hex");
    const good = await begin(archive, archive.length, { sha256 });
    const bad = await begin(archive, archive.length, { sha256: "0".repeat(64) });
    await work();
    expect((await get(good.json.id)).status).toBe("ready");
    expect(await get(bad.json.id)).toMatchObject({
      status: "failed",
      error: expect.stringContaining(sha256),
    });
    expect((await server.sql`select from import_chunks where import_id = ${bad.json.id}`).count).toBe(0);
  });

  test("fails with a sentence if it is no archive that can be read", async () => {
    const broken = await begin(archive.subarray(0, 2_000));
    await work();
    expect(await get(broken.json.id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/\.$/),
    });
  });

  test("that nobody goes on with expires after a day", async () => {
    const { json } = await begin(archive, 1_000);
    const hours = (Date.parse(json.expiresAt) - Date.parse(json.createdAt)) / 3_600_000;
    expect(hours).toBeCloseTo(24, 2);
    await server.sql`update imports set expires_at = clock() where id = ${json.id}`;
    await work();
    expect((await get(json.id)).status).toBe("expired");
    expect((await server.sql`select from import_chunks where import_id = ${json.id}`).count).toBe(0);
    expect(codeOf(await send(json.id, archive, 1_000, 2_000))).toEqual([409, "import_state"]);
  });

  test("is refused if it is too large, empty, or no text and no archive", async () => {
    const at = (query: string, body: Uint8Array, headers = {}) =>
      alice.request(`POST /imports/upload?${query}`, { body, headers: { ...type, ...headers } });
    const refused = async (...given: Parameters<typeof at>) => codeOf(await at(...given))[1];
    expect(await refused("filename=a.zip&size=209715201", archive)).toBe("validation_failed");
    expect(await refused("filename=a/b.zip&size=10", archive)).toBe("validation_failed");
    expect(await refused("filename=a.zip&size=1", new Uint8Array())).toBe("validation_failed");
    expect(await refused("filename=a.rar&size=8", Buffer.from("Rar!\x1a\x07\x00\xff", "latin1"))).toBe(
      "archive_refused",
    );
    const tooLong = new Uint8Array(8 * 1024 * 1024 + 1);
    expect(await refused(`filename=a.zip&size=${tooLong.length}`, tooLong)).toBe("payload_too_large");
    expect((await alice.request("GET /imports")).json.items).toEqual([]);
  });

  test("refuses a chunk whose place cannot be read", async () => {
    const { json } = await begin(archive, 1_000);
    for (const path of [
      `/imports/${json.id}/upload`,
      `/imports/upload?filename=a.zip&size=${archive.length}`,
    ])
      for (const range of [
        "all of it",
        "bytes 1000-1099",
        "bytes 5-4/4000",
        "bytes 0-99/*",
        `some bytes 1000-1099/${archive.length}`,
        `bytes 1000-1099/${archive.length} of it`,
        `bytes 0-${"9".repeat(20)}/9`,
      ]) {
        const headers = { ...type, "content-range": range };
        const answer = await alice.request(`POST ${path}`, { body: archive.subarray(0, 100), headers });
        expect(codeOf(answer)).toEqual([400, "invalid_range"]);
      }
    const missing = await alice.request(`POST /imports/${json.id}/upload`, { body: archive, headers: type });
    expect(codeOf(missing)).toEqual([422, "validation_failed"]);
  });

  test("refuses a chunk that ends after the end of the file, and says where that is", async () => {
    const { json } = await begin(archive, 1_000);
    const { length } = archive;
    const longer = Buffer.concat([archive, Buffer.from("more")]);
    const answer = await send(json.id, longer, 1_000, longer.length);
    expect(codeOf(answer)).toEqual([416, "range_not_satisfiable"]);
    expect(answer.json.error.message).toContain(`the last byte of the file is ${length - 1}`);
    const first = `POST /imports/upload?filename=a.zip&size=${length - 1}`;
    expect(codeOf(await alice.request(first, { body: archive, headers: type }))).toEqual([
      416,
      "range_not_satisfiable",
    ]);
    expect((await get(json.id)).upload.received).toBe(1_000);
  });

  test("refuses a chunk whose header says something else than its body, or another size", async () => {
    const { json } = await begin(archive, 1_000);
    for (const range of [`bytes 1000-1009/${archive.length}`, `bytes 1000-1099/${archive.length + 1}`]) {
      const headers = { ...type, "content-range": range };
      const body = archive.subarray(1_000, 1_100);
      const answer = await alice.request(`POST /imports/${json.id}/upload`, { body, headers });
      expect(codeOf(answer)).toEqual([422, "validation_failed"]);
      expect(answer.json.error.details).toMatchObject([{ path: "/content-range", code: "custom" }]);
    }
  });

  test("takes chunks of no other import", async () => {
    const body = { source: { type: "paste", text: "Hi" } };
    const { json } = await alice.request("POST /imports", { body });
    expect(codeOf(await send(json.id, archive, 0, 10))).toEqual([409, "import_state"]);
  });
});
