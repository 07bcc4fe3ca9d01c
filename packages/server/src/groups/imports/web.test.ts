import * as https from "node:https";
import * as tls from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { zipOf } from "../../../../core/src/archives/testing/zip.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { cert, closeServers, key, listen } from "../../kernel/reach/fixtures/servers.ts";
import { until } from "../../../test/waiting.ts";
import { startWorker } from "../../worker.ts";

let server: TestServer;
let alice: Person;
let count = 0;
const trusted = tls.getCACertificates("default");

beforeAll(async () => {
  tls.setDefaultCACertificates([...trusted, cert.toString()]);
  server = await startTestServer();
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await server.stop();
});
beforeEach(async () => {
  alice = await server.join(`alice-${++count}`);
});
afterEach(closeServers);

/** A site that has these files, by path, and gives its address. */
async function having(files: Record<string, string | Buffer>): Promise<string> {
  const { port } = await listen(
    https.createServer({ key, cert }, ({ url = "" }, response) => {
      const found = files[url];
      response.writeHead(found === undefined ? 404 : 200).end(found);
    }),
  );
  return `https://127.0.0.1:${port}`;
}

/** An import whose work is done, one way or the other. */
async function imported(source: object) {
  const { json, status } = await alice.request("POST /imports", { body: { source } });
  expect(status).toBe(202);
  await server.workOff();
  return (await alice.request(`GET /imports/${json.id}?limit=100`)).json;
}

describe("an import from the web", () => {
  test("finds the prompt of a file, whatever folder it is in", async () => {
    const url = `${await having({ "/notes/a.md": "Sum up {{text}}." })}/notes/a.md`;
    const { status, source, items } = await imported({ type: "url", url });
    expect([status, source]).toEqual(["ready", { type: "url", label: "127.0.0.1/notes/a.md", url }]);
    expect(items).toMatchObject([
      { sourcePath: "notes/a.md", preview: expect.stringContaining("Sum up {{text}}.") },
    ]);
  });

  test("finds the prompts in a folder of a repository, and says at which commit", async () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const archive = zipOf(
      [
        { name: "prompts-x/docs/.claude/commands/sum.md", content: "Sum up $ARGUMENTS." },
        { name: "prompts-x/.claude/commands/other.md", content: "Other." },
        { name: "prompts-x/conversations.json", content: "[]" },
      ],
      { comment: commit },
    );
    const site = await having({ "/ada/prompts/-/archive/feature/x/prompts-feature-x.zip": archive });
    const repository = `${site}/ada/prompts/-/tree/feature/x/docs`;
    const { status, source, items } = await imported({ type: "repository", repository });
    expect([status, source]).toEqual([
      "ready",
      {
        type: "repository",
        label: "127.0.0.1/ada/prompts",
        url: repository,
        ref: "feature/x",
        path: "docs",
        commit,
      },
    ]);
    expect(items).toMatchObject([{ sourcePath: "docs/.claude/commands/sum.md", kind: "command" }]);
  });

  test("finds the prompts of an archive with the folders that it has", async () => {
    const archive = zipOf([{ name: ".claude/commands/sum.md", content: "Sum up $ARGUMENTS." }]);
    const { items } = await imported({ type: "url", url: `${await having({ "/a.zip": archive })}/a.zip` });
    expect(items).toMatchObject([{ sourcePath: ".claude/commands/sum.md", kind: "command" }]);
  });

  test("of a folder that a repository does not have fails", { tags: "long" }, async () => {
    const archive = zipOf([{ name: "prompts-main/docs2/a.prompt.md", content: "Hi." }]);
    const site = await having({ "/ada/prompts/-/archive/main/prompts-main.zip": archive });
    const repository = `${site}/ada/prompts/-/tree/main`;
    expect(await imported({ type: "repository", repository, path: "docs" })).toMatchObject({
      status: "failed",
      error: "It has no folder docs.",
    });
  });

  test("of what is not there fails with a sentence for its owner", async () => {
    const site = await having({});
    expect(await imported({ type: "url", url: `${site}/a.md` })).toMatchObject({
      status: "failed",
      error: "127.0.0.1/a.md is not there.",
      items: [],
    });
    expect(
      await imported({ type: "repository", repository: `${site}/ada/prompts/-/tree/main` }),
    ).toMatchObject({
      status: "failed",
      error: "127.0.0.1/ada/prompts is not there, has no such branch, or is not public.",
    });
  });

  test.each<[object, string]>([
    [{ type: "url", url: "http://example.com/a.md" }, "/source/url"],
    [{ type: "url", url: "https://169.254.169.254/latest/meta-data" }, "/source/url"],
    [{ type: "url", url: "prompts" }, "/source/url"],
    [{ type: "repository", repository: "../etc" }, "/source/repository"],
    [{ type: "repository", repository: "ada/prompts", ref: "../x" }, "/source/repository"],
    [{ type: "repository", repository: "ada/prompts\u202e" }, "/source/repository"],
  ])("of %j is refused at once", async (source, path) => {
    const { status, json } = await alice.request("POST /imports", { body: { source } });
    expect([status, json.error.code]).toEqual([422, "url_refused"]);
    expect(json.error.details).toMatchObject([{ path, code: "url_refused" }]);
  });
});

test("where all slots are taken, an account that used much makes room for one that did not, and begins anew", {
  tags: "long",
}, async () => {
  const busy = 6;
  const paste = { type: "paste", text: "Write." };
  const answers: (() => void)[] = [];
  const asked: (string | undefined)[] = [];
  const { port } = await listen(
    https.createServer({ key, cert }, (request, response) => {
      asked.push(request.url);
      answers.push(() => response.end("Sum up."));
    }),
  );
  const ids: string[] = [];
  for (let n = 0; n < busy; n++) {
    const person = await server.join(`busy-${n}`);
    const { id } = (await person.request("POST /imports", { body: { source: paste } })).json;
    await server.sql`
      update imports set status = 'completed', finished_at = clock(), worked_ms = ${10_000 + 1_000 * n}, taken_at = clock() where id = ${id}`;
    const source = { type: "url", url: `https://127.0.0.1:${port}/${n}.md` };
    ids.push((await person.request("POST /imports", { body: { source } })).json.id);
  }
  // One wake is enough for all slots.
  await server.sql`
    select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where task_identifier = 'work_on_imports' offset 1))`;
  const worker = await startWorker(server.context, parseDatabaseUrl(server.database.url));
  try {
    await until(async () => answers.length === busy);
    const { id } = (await alice.request("POST /imports", { body: { source: paste } })).json;
    await until(async () => (await alice.request(`GET /imports/${id}`)).json.status === "ready");
    const isDone = () => server.sql`select from imports where id = any (${ids}) and status = 'ready'`;
    expect((await isDone()).count).toBe(0);
    // Who used most begins anew.
    await until(async () => asked.length > busy);
    expect(asked.slice(busy)).toEqual([`/${busy - 1}.md`]);
    const begun = await server.sql`select attempts from imports where id = any (${ids})`;
    expect(begun.map(({ attempts }) => attempts)).toEqual(Array.from(ids, () => 1));
    await until(async () => {
      for (const answer of answers.splice(0)) answer();
      return (await isDone()).count === busy;
    });
  } finally {
    await worker.stop();
  }
});

test("a commit makes room for nobody: where both slots are taken, the next one waits for the end of one", async () => {
  const people = [alice, await server.join("first"), await server.join("second")];
  const ids: string[] = [];
  for (const person of people) {
    const source = { type: "paste", text: "Write." };
    ids.push((await person.request("POST /imports", { body: { source } })).json.id);
  }
  await server.workOff();
  const commit = (nth: number) => people[nth]?.request(`POST /imports/${ids[nth]}/commit`, { body: {} });
  await server.sql`update imports set worked_ms = 20000 where id = any (${ids.slice(1)})`;
  for (const nth of [1, 2]) expect((await commit(nth))?.status).toBe(202);
  const countOf = async (condition: string) =>
    (await server.sql`select from imports where id = any (${ids}) and ${server.sql.unsafe(condition)}`).count;
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
  try {
    await server.sql.begin(async (sql) => {
      await sql`lock table prompts in share mode`;
      worker = await startWorker(server.context, parseDatabaseUrl(server.database.url));
      await until(async () => (await countOf("lease_token is not null")) === 2);
      await commit(0);
      await until(async () => {
        const waiting = await server.sql`
          select from graphile_worker.jobs where task_identifier = 'work_on_imports'`;
        return waiting.count === 0;
      });
    });
    await until(async () => (await countOf("status = 'completed'")) === 3);
  } finally {
    await worker?.stop();
  }
  const [row] = await server.sql`
    select (select taken_at from imports where id = ${ids[0] ?? ""}) >= min(finished_at) as waited
    from imports where id = any (${ids.slice(1)})`;
  expect(row).toEqual({ waited: true });
});
