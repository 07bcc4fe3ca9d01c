import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, filesOf, promptOf, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";

const run = promisify(execFile);

let server: TestServer;
let alice: Person;
let bob: Person;
let folder: string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  folder = await mkdtemp(join(tmpdir(), "promptreg-download-"));
  await publish(alice, "greeting");
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Bytes that do not shrink. */
const noise = (length: number, seed: number) =>
  Buffer.from(
    Uint32Array.from({ length: length / 4 }, (_, nth) => Math.imul(nth + seed, 0x9e3779b1) ^ nth).buffer,
  );

async function download(query = "", headers: Record<string, string> = {}, slug = "greeting") {
  const response = await fetch(`${server.url}/api/v1/prompts/alice/${slug}/download?${query}`, { headers });
  return { response, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The files of a zip by path, unpacked by the usual program. */
async function unzip(bytes: Buffer): Promise<string[]> {
  const path = join(folder, "archive.zip");
  await writeFile(path, bytes);
  const { stdout } = await run("unzip", ["-Z1", path]);
  return stdout.trim().split("\n");
}
const contentIn = async (path: string) =>
  (await run("unzip", ["-p", join(folder, "archive.zip"), path])).stdout;

const skill = (name: string) => ({
  kind: "skill",
  files: [
    { path: "SKILL.md", content: `---\nname: ${name}\ndescription: Does it.\n---\nDo it.\n` },
    { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" },
  ],
});

describe("an archive", () => {
  test("holds all files of the latest version, in a folder that names it", async () => {
    const { response, bytes } = await download();
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''greeting-v1.zip");
    expect(await unzip(bytes)).toEqual(["greeting-v1/PROMPT.md"]);
    const raw = await bob.request("GET /prompts/alice/greeting/raw");
    expect(await contentIn("greeting-v1/PROMPT.md")).toBe(raw.text);
  });

  test("of a skill has the folder that its standard wants", async () => {
    await alice.request("POST /prompts", { body: promptOf("the-skill", skill("other-name")) });
    const { bytes } = await download("", {}, "the-skill");
    expect(await unzip(bytes)).toEqual(["other-name/SKILL.md", "other-name/scripts/run.sh"]);
  });

  test.each(["zip", "tar.gz"])("%s is the same twice, and with a version for a year", async (format) => {
    const [first, second] = [await download(`format=${format}`), await download(`format=${format}`)];
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(first.response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    const pinned = await download(`format=${format}&version=1`);
    expect(pinned.bytes.equals(first.bytes)).toBe(true);
    expect(pinned.response.headers.get("cache-control")).toContain("immutable");
    expect(pinned.response.headers.get("etag")).toBe(first.response.headers.get("etag"));
  });

  test("has another ETag in another form, under another address and for another version", async () => {
    await publish(alice, "moving");
    const etagOf = async (query: string, slug: string) =>
      (await download(query, {}, slug)).response.headers.get("etag");
    const etags = [await etagOf("", "moving"), await etagOf("format=tar.gz", "moving")];
    await alice.request("PATCH /prompts/alice/moving", { body: { slug: "moved" } });
    etags.push(await etagOf("", "moved"));
    const files = [{ path: "PROMPT.md", content: "Another" }];
    await alice.request("POST /prompts/alice/moved/versions", { body: { files } });
    etags.push(await etagOf("", "moved"));
    expect(new Set(etags).size).toBe(4);
  });

  test("is not read for 304 and HEAD, which count no download", async () => {
    const { response } = await download();
    const read = vi.spyOn(server.context.turns, "take");
    const held = await download("", { "if-none-match": response.headers.get("etag") ?? "" });
    const starred = await download("", { "if-none-match": "*" });
    const head = await fetch(`${server.url}/api/v1/prompts/alice/greeting/download`, { method: "HEAD" });
    expect([held.status, starred.status, head.status]).toEqual([304, 304, 200]);
    // One turn for each request, and none for contents.
    expect(read).toHaveBeenCalledTimes(3);
    read.mockRestore();
  });

  test("has every byte of files larger than one statement reads", { tags: "long" }, async () => {
    const contents = [noise(3_000_000, 1), noise(512 * 1024, 2), noise(700_000, 3)];
    const files = [
      { path: "PROMPT.md", content: "Hi" },
      ...contents.map((bytes, nth) => ({
        path: `data/${nth}.bin`,
        encoding: "base64",
        content: bytes.toString("base64"),
      })),
    ];
    const { status } = await alice.request("POST /prompts", { body: promptOf("large", { files }) });
    expect(status).toBe(201);
    const { bytes } = await download("format=tar.gz", {}, "large");
    await writeFile(join(folder, "large.tar.gz"), bytes);
    await run("tar", ["-xzf", join(folder, "large.tar.gz"), "-C", folder]);
    for (const [nth, content] of contents.entries()) {
      expect(content.equals(await readFile(join(folder, `large-v1/data/${nth}.bin`)))).toBe(true);
    }
  });
});

describe("a format of a tool", () => {
  test("comes as a zip of its files where the tool looks, or as its only file", async () => {
    const { response: zipped, bytes } = await download("format=agent-skill&version=1");
    expect(zipped.headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''greeting-v1-agent-skill.zip",
    );
    expect(await unzip(bytes)).toEqual([".agents/skills/greeting/SKILL.md"]);
    const { response, bytes: bare } = await download("format=agent-skill&version=1&unwrap=true");
    expect(bare.toString()).toBe(await contentIn(".agents/skills/greeting/SKILL.md"));
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''SKILL.md");
  });

  test("is revalidated, since summary and labels move", async () => {
    const { response } = await download("format=agent-skill&version=1");
    expect(response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    const etag = response.headers.get("etag") ?? "";
    expect((await download("format=agent-skill&version=1", { "if-none-match": etag })).status).toBe(304);
    await alice.request("PATCH /prompts/alice/greeting", { body: { summary: "Says hello." } });
    expect((await download("format=agent-skill&version=1", { "if-none-match": etag })).status).toBe(200);
  });

  test.each(["promptfoo", "github-models"])(
    "%s has the approved examples of the version and of no version, and its ETag follows them",
    async (format) => {
      const slug = `cases-${format}`;
      const text = "Greet {{name}}";
      await publish(alice, slug, { files: filesOf(text) });
      await commit(alice, slug, `${text} warmly`);
      const give = (who: Person, name: string, fields: object = {}) =>
        expectDone(who, `POST /prompts/alice/${slug}/examples`, {
          variables: { name },
          output: `Hello ${name}`,
          ...fields,
        });
      const read = async () => {
        const { response, bytes } = await download(`format=${format}&version=2`, {}, slug);
        await unzip(bytes);
        const all = (await run("unzip", ["-p", join(folder, "archive.zip")])).stdout;
        const names = ["Ada", "Bea", "Cem", "Dan"]
          .filter((name) => all.includes(`Hello ${name}`))
          .sort((a, b) => all.indexOf(`Hello ${a}`) - all.indexOf(`Hello ${b}`));
        return { names, etag: response.headers.get("etag") ?? "" };
      };
      const before = await read();
      const ada = await give(alice, "Ada");
      const bea = await give(alice, "Bea", { versionNumber: 2 });
      const cem = await give(alice, "Cem", { versionNumber: 1 });
      const pending = await read();
      await give(bob, "Dan");
      expect(await read()).toEqual(pending);
      expect([before.names, pending.names]).toEqual([[], ["Ada", "Bea"]]);
      const ids = [cem.id, bea.id, ada.id];
      await expectDone(alice, `POST /prompts/alice/${slug}/examples/reorder`, { ids });
      const ordered = await read();
      expect(ordered.names).toEqual(["Bea", "Ada"]);
      expect(new Set([before.etag, pending.etag, ordered.etag]).size).toBe(3);
      const held = await download(`format=${format}&version=2`, { "if-none-match": ordered.etag }, slug);
      expect([held.status, held.bytes.length]).toEqual([304, 0]);
      await expectDone(alice, `DELETE /prompts/alice/${slug}/examples/${ada.id}`);
      expect((await read()).names).toEqual(["Bea"]);
    },
  );

  test("has as many examples as fit in 256 KiB, and a hundred at most", async () => {
    const { id } = await publish(alice, "full");
    const give = (outputs: string[]) => server.sql`
      insert into examples (prompt_id, author_id, variables, output, media_ids, status, position)
      select ${id}, ${alice.id}, '{}', nullif(output, ''), '{med_1}', 'approved', nth
      from unnest(${outputs}::text[]) with ordinality given (output, nth)`;
    const shown = async () => {
      const { bytes } = await download("format=github-models&unwrap=true", {}, "full");
      return bytes.toString().match(/expected/g)?.length;
    };
    // With two bytes of its variables each has a quarter, of which the last leaves two to one without an output.
    const quarter = "x".repeat(2 ** 16 - 2);
    await give(["", ...Array<string>(3).fill(quarter), quarter.slice(2), "x"]);
    expect(await shown()).toBe(4);
    await server.sql`delete from examples where prompt_id = ${id}`;
    await give(Array<string>(101).fill("x"));
    expect(await shown()).toBe(100);
  });

  test("has of an example without an output the values of its variables", async () => {
    await publish(alice, "painted", { files: filesOf("Paint {{what}}") });
    const body = { variables: { what: "a boat" }, output: "Done" };
    const { id } = await expectDone(alice, "POST /prompts/alice/painted/examples", body);
    await server.sql`update examples set output = null, media_ids = '{med_1}' where id = ${id}`;
    const { bytes } = await download("format=github-models&unwrap=true", {}, "painted");
    expect(bytes.toString()).toMatch(/what: a boat/);
  });

  test.each([
    ["the-skill", "format=openai-messages", 422, "format_not_supported"],
    ["the-skill", "format=agent-skill&unwrap=true", 422, "validation_failed"],
    ["greeting", "unwrap=true", 422, "validation_failed"],
    ["greeting", "format=tar.gz&unwrap=true", 422, "validation_failed"],
    ["greeting", "format=rar", 422, "validation_failed"],
    ["greeting", "version=1&label=production", 422, "validation_failed"],
    ["greeting", "version=2", 404, "not_found"],
    ["greeting", "label=none", 404, "not_found"],
  ])("of %s with %s is refused: %i %s", async (slug, query, ...refusal) => {
    expect(codeOf(await bob.request(`GET /prompts/alice/${slug}/download?${query}`))).toEqual(refusal);
  });

  test("of several files cannot come without its zip, and the error says which field to leave out", async () => {
    await publish(alice, "several", skill("several"));
    const query = "format=agent-skill&unwrap=true";
    const { json } = await bob.request(`GET /prompts/alice/several/download?${query}`);
    expect(json.error.message).toContain("has 2 files in the format agent-skill. Leave unwrap out");
    expect(json.error.details).toMatchObject([{ path: "/unwrap" }]);
    const archive = await bob.request("GET /prompts/alice/several/download?unwrap=true");
    expect(archive.json.error.details).toMatchObject([{ path: "/unwrap" }]);
  });

  test("has 20 MiB at most", { tags: "long" }, async () => {
    await publish(alice, "escaped", { files: filesOf("Escaped") });
    // As JSON each of these characters has six, and a space has one.
    const escaped = Buffer.alloc(3 * 2 ** 20, 1);
    const fill = (spaces: number) => server.sql`
      with file as (
        update version_files set size = ${escaped.length + spaces} where version_id = (
          select v.id from versions v join prompts p on p.id = v.prompt_id where p.slug = 'escaped')
        returning sha256
      )
      update blobs set content = ${Buffer.concat([escaped, Buffer.alloc(spaces, " ")])}
      where sha256 in (select sha256 from file)`;
    const json = () => download("format=json&unwrap=true", {}, "escaped");
    await fill(0);
    const most = 20 * 2 ** 20 - (await json()).bytes.length;
    await fill(most);
    expect((await json()).bytes.length).toBe(20 * 2 ** 20);
    await fill(most + 1);
    expect(codeOf(await bob.request("GET /prompts/alice/escaped/download?format=json"))).toEqual([
      422,
      "format_too_large",
    ]);
  });

  test("needs a version, and without a number one that is not yanked", async () => {
    await publish(alice, "draft", { publish: false });
    expect(codeOf(await alice.request("GET /prompts/alice/draft/download"))).toEqual([
      409,
      "prompt_not_published",
    ]);
    await publish(alice, "yanked");
    await alice.request("POST /prompts/alice/yanked/versions/1/yank", { body: { reason: "Bad" } });
    expect(codeOf(await bob.request("GET /prompts/alice/yanked/download"))).toEqual([404, "not_found"]);
    expect((await download("version=1", {}, "yanked")).status).toBe(200);
  });
});

test("the SDK gives a download as a stream of bytes", async () => {
  const client = createClient({ baseUrl: server.url, token: bob.token });
  const response = await client.prompts.download({
    owner: "alice",
    slug: "greeting",
    query: { format: "zip" },
  });
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
  expect([bytes, response.headers.get("content-type")]).toEqual([
    (await download()).bytes.length,
    "application/zip",
  ]);
});

describe("the count of downloads", () => {
  const counted = async (slug: string) => {
    await server.context.activity.flush();
    return (await server.anonymous(`GET /prompts/alice/${slug}`)).json.counts.downloads;
  };

  test("has each viewer once a day, and never the owner", async () => {
    await server.setClock("2030-03-01T12:00:00Z");
    await publish(alice, "counted");
    for (const who of [alice, bob, bob, server.nobody, server.nobody]) {
      await who.request("GET /prompts/alice/counted/download?format=markdown");
    }
    expect(await counted("counted")).toBe(2);
    await bob.request("GET /prompts/alice/counted/download");
    expect(await counted("counted")).toBe(2);
    await server.setClock("2030-03-02T12:00:00Z");
    await bob.request("GET /prompts/alice/counted/download");
    expect(await counted("counted")).toBe(3);
    const rows = await server.sql`
      select key, sum(downloads)::int as downloads from daily_figures f join prompts p on p.id = f.subject_id
      where slug = 'counted' and part = 'format' group by key order by key`;
    expect([...rows]).toEqual([
      { key: "markdown", downloads: 2 },
      { key: "zip", downloads: 1 },
    ]);
  });
});
