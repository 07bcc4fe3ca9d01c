import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { filesOf, moveLabel, publish } from "../test/prompts.ts";
import { exchange } from "../test/requests.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  await publish(alice, "steady", { visibility: "private", files: filesOf("One") });
  await moveLabel(alice, "steady", "production");
});
afterAll(() => server.stop());

/** The number of rows of everything that a request can write. */
async function countRows(): Promise<object> {
  const [row] = await server.sql<object[]>`
    select (select count(*) from prompts) as prompts, (select count(*) from versions) as versions,
      (select count(*) from version_files) as files, (select count(*) from blobs) as blobs,
      (select count(*) from drafts) as drafts, (select count(*) from labels) as labels,
      (select count(*) from label_moves) as moves, (select count(*) from events) as events,
      (select count(*) from audit_log) as audits, (select count(*) from search_documents) as documents,
      (select count(*) from webhooks) as webhooks, (select count(*) from idempotency_keys) as keys,
      (select sum(revision) from prompts) as revisions`;
  return row ?? {};
}

const text = filesOf("Hi");
const withFiles = (...more: object[]) => ({ kind: "text", title: "A prompt", files: [...text, ...more] });
const commit = "POST /prompts/alice/steady/versions";
const create = "POST /prompts";
/** `JSON.stringify` escapes it. */
const surrogate = "\ud800";

describe("an invalid request gets its error, and changes nothing:", () => {
  const bodies: [what: string, route: string, body: unknown, status: number, code: string, path?: string][] =
    [
      ["twenty megabytes", create, new Uint8Array(20_000_000).fill(0x20), 413, "payload_too_large"],
      [
        "twenty megabytes of files",
        commit,
        { files: filesOf("x".repeat(20_000_000)) },
        413,
        "payload_too_large",
      ],
      ["broken JSON", create, '{"kind": "text", "title": "A', 400, "invalid_json"],
      ["JSON in another encoding", create, Buffer.from('{"title":"ä"}', "latin1"), 400, "invalid_json"],
      [
        "a lone surrogate in a title",
        create,
        { ...withFiles(), title: surrogate },
        422,
        "validation_failed",
        "/title",
      ],
      [
        "a lone surrogate in a message",
        commit,
        { files: text, message: surrogate },
        422,
        "validation_failed",
        "/message",
      ],
      [
        "a lone surrogate in a file",
        commit,
        { files: filesOf(surrogate) },
        422,
        "invalid_file",
        "/files/0/content",
      ],
      [
        "a lone surrogate in a path",
        commit,
        { files: [...text, { path: surrogate, content: "" }] },
        422,
        "invalid_file",
        "/files/1/path",
      ],
      ["NUL in a title", create, { ...withFiles(), title: "a\0b" }, 422, "validation_failed", "/title"],
      [
        "NUL in a reason",
        "PUT /prompts/alice/steady/labels/beta",
        { versionNumber: 1, reason: "\0" },
        422,
        "validation_failed",
        "/reason",
      ],
      ["NUL in a file", commit, { files: filesOf("a\0b") }, 422, "invalid_file", "/files/0/content"],
      [
        "ten thousand tags",
        create,
        { ...withFiles(), tags: Array.from({ length: 10_000 }, (_, i) => `tag-${i}`) },
        422,
        "validation_failed",
        "/tags",
      ],
      [
        "ten thousand files",
        create,
        withFiles(...Array.from({ length: 10_000 }, (_, i) => ({ path: `${i}`, content: "" }))),
        422,
        "validation_failed",
        "/files",
      ],
      [
        "ten thousand labels",
        commit,
        { files: text, labels: Array.from({ length: 10_000 }, (_, i) => `l${i}`) },
        422,
        "validation_failed",
        "/labels",
      ],
      [
        "a path out of the folder",
        create,
        withFiles({ path: "../../etc/passwd", content: "" }),
        422,
        "invalid_file",
        "/files/1/path",
      ],
      [
        "a path from the root",
        create,
        withFiles({ path: "/etc/passwd", content: "" }),
        422,
        "invalid_file",
        "/files/1/path",
      ],
      [
        "a path into Git's folder",
        create,
        withFiles({ path: "a/.git/config", content: "" }),
        422,
        "invalid_file",
        "/files/1/path",
      ],
      [
        "a file that is also a folder",
        create,
        withFiles({ path: "a", content: "" }, { path: "a/b", content: "" }),
        422,
        "invalid_file",
      ],
      [
        "two file names that differ only in case",
        create,
        withFiles({ path: "A.md", content: "" }, { path: "a.md", content: "" }),
        422,
        "invalid_file",
      ],
      [
        "a version that does not exist",
        "PUT /prompts/alice/steady/labels/beta",
        { versionNumber: 2_147_483_647 },
        404,
        "not_found",
      ],
      [
        "a number that is too large for an integer",
        "PUT /prompts/alice/steady/labels/beta",
        { versionNumber: 2 ** 53 },
        422,
        "validation_failed",
        "/versionNumber",
      ],
      ["the same files again", commit, { files: filesOf("One") }, 409, "no_changes"],
      [
        "a base that is not the newest version",
        commit,
        { files: text, baseVersionNumber: 7 },
        409,
        "version_conflict",
      ],
      [
        "a label elsewhere than expected",
        "PUT /prompts/alice/steady/labels/production",
        { versionNumber: 1, expectedVersionNumber: 2 },
        409,
        "label_conflict",
      ],
      [
        "a reserved label on a commit",
        commit,
        { files: text, labels: ["production", "latest"] },
        422,
        "validation_failed",
      ],
      [
        "keys of prototypes",
        create,
        JSON.parse('{"__proto__": {"kind": "text"}, "constructor": 1}'),
        422,
        "validation_failed",
      ],
    ];

  test.each(bodies)("%s", async (_what, route, body, status, code, path) => {
    const before = await countRows();
    const answer: Answer = await exchange(server.url, route, {
      token: alice.token,
      body,
      headers: { "content-type": "application/json", "idempotency-key": "one of its own" },
    });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    if (path !== undefined) {
      expect(answer.json.error.details.map((detail: { path: string }) => detail.path)).toContain(path);
    }
    expect(await countRows()).toEqual(before);
  });

  test("a cursor of another list", async () => {
    for (let i = 0; i < 3; i++) {
      await alice.request(commit, { body: { files: [{ path: "PROMPT.md", content: `More ${i}` }] } });
    }
    const { nextCursor } = (await alice.request("GET /prompts/alice/steady/versions?limit=1")).json;
    expect(nextCursor).toEqual(expect.any(String));
    for (const other of [
      "/prompts?",
      "/prompts/alice/steady/labels?",
      "/prompts/alice/steady/labels/production/history?",
      "/me/watches?",
      "/webhooks?",
      "/evals/runs?prompt=alice/steady&",
    ]) {
      const { status, json } = await alice.request(`GET ${other}cursor=${nextCursor}`);
      expect([other, status, json.error.code]).toEqual([other, 400, "invalid_cursor"]);
    }
  });
});

describe("concurrent requests:", () => {
  const make = async (slug: string) => {
    await publish(alice, slug, { files: filesOf("One") });
    return `/prompts/alice/${slug}`;
  };

  test("commits get consecutive numbers", async () => {
    const at = await make("busy");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        alice.request(`POST ${at}/versions`, { body: { files: filesOf(`At once ${i}`) } }),
      ),
    );
    const numbers = answers.map(({ json }) => json.n as number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
  });

  test("one of two commits on one base wins, and the other gets version_conflict", async () => {
    const at = await make("contested");
    const answers = await Promise.all(
      ["left", "right"].map((content) =>
        alice.request(`POST ${at}/versions`, { body: { files: filesOf(content), baseVersionNumber: 1 } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.json.error.code).toBe("version_conflict");
  });

  test("one of two moves from one version wins, and the other learns where the label is", async () => {
    const at = await make("moved");
    for (const content of ["Two", "Three"]) {
      await alice.request(`POST ${at}/versions`, { body: { files: filesOf(content) } });
    }
    await alice.request(`PUT ${at}/labels/production`, { body: { versionNumber: 1 } });
    const answers = await Promise.all(
      [2, 3].map((versionNumber) =>
        alice.request(`PUT ${at}/labels/production`, { body: { versionNumber, expectedVersionNumber: 1 } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [won, lost] = [200, 409].map((code) => answers.find(({ status }) => status === code)?.json);
    expect(lost.error.code).toBe("label_conflict");
    expect(lost.error.message).toContain(`version ${won.versionNumber}`);
    const { json } = await alice.request(`GET ${at}/labels/production/history`);
    expect(json.items).toHaveLength(2);
  });
});
