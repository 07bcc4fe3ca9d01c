import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { explain, rowsOf, type Sent, stepsOf } from "../../../test/explain.ts";
import { proposeFiles } from "../../../test/forks.ts";
import { commit, moveLabel, publish } from "../../../test/prompts.ts";
import { exchange } from "../../../test/requests.ts";
import { liftLimits } from "../../../test/stage.ts";
import { watchStatements } from "../../../test/sent.ts";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { connect } from "../../database/open.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  [alice, bob] = [await server.join("alice"), await server.join("bob")];
  for (const visibility of ["public", "unlisted", "private"]) {
    await publish(alice, visibility, { visibility, versions: 3 });
    await moveLabel(alice, visibility, "production", 2);
    await moveLabel(alice, visibility, "production", 3);
  }
  await publish(alice, "draft", { publish: false });
  await publish(alice, "deleted");
  await alice.request("DELETE /prompts/alice/deleted");
  await publish(alice, "before");
  await alice.request("PATCH /prompts/alice/before", { body: { slug: "now" } });
  await commit(alice, "now", "Yanked");
  await alice.request("POST /prompts/alice/now/versions/2/yank", { body: { reason: "wrong" } });
});
afterAll(() => server.stop());

interface Asked {
  path: string;
  token: string | undefined;
  etag: string;
}

/** What a response says that does not differ from one request to the next. */
async function answerTo({ path, token, etag }: Asked): Promise<object> {
  const { status, headers, text } = await exchange(server.url, `GET /prompts/${path}`, {
    token,
    headers: { "if-none-match": etag },
  });
  const kept = [...headers].filter(([name]) => !/^(x-request-id|date|ratelimit.*)$/.test(name));
  return { path, status, kept, text: text.replace(/"requestId":"[^"]*"/, "") };
}

/** Each kind of address, asked by each kind of caller, with and without what it has already. */
async function everyQuestion(): Promise<Asked[]> {
  const slugs = ["public", "unlisted", "private", "draft", "deleted", "before", "now", "missing"];
  const moment = encodeURIComponent(new Date().toISOString());
  const queries = [
    "",
    "&label=production",
    "&label=latest",
    "&label=nowhere",
    "&label=NOT%20A%20LABEL",
    "&version=1",
    "&version=99",
    "&version=2147483648",
    `&label=production&at=${moment}`,
    "&label=production&at=2000-01-01T00:00:00Z",
    "&label=production&at=9999-01-01T00:00:00Z",
  ];
  const paths = slugs.flatMap((slug) => [
    ...queries.map((query) => `alice/${slug}?view=version${query}`),
    ...["1", "2", "99", "x"].map((n) => `alice/${slug}/versions/${n}`),
    `alice/${slug}/versions/1?files=meta`,
  ]);
  const asked: Asked[] = [{ path: paths[0] ?? "", token: `prt_${"0".repeat(32)}`, etag: '"none"' }];
  for (const path of paths) {
    for (const token of [undefined, alice.token, bob.token]) asked.push({ path, token, etag: '"none"' });
    const etag = (await alice.request(`GET /prompts/${path}`)).headers.get("etag");
    if (etag !== null) asked.push({ path, token: alice.token, etag });
  }
  return asked;
}

const atOnce = 100;

test("a version is answered together with others as it is alone, whoever asks for whatever", {
  tags: "long",
}, async () => {
  const questions = await everyQuestion();
  const alone: object[] = [];
  for (const question of questions) alone.push(await answerTo(question));
  // In another order, so that others keep it company.
  const mixed = questions.map((_, nth) => questions[(nth * 7) % questions.length] as Asked);
  let statements = 0;
  const together: object[] = [];
  const { sql, readSql } = server.context;
  await watchStatements(
    [sql, readSql],
    (text) => (statements += text.includes("with ordinality question") ? 1 : 0),
    async () => {
      for (let first = 0; first < questions.length; first += atOnce) {
        // While the connection is busy they come together, however fast they are sent.
        const isBusy = readSql`select pg_sleep(0.1)`.execute();
        together.push(...(await Promise.all(mixed.slice(first, first + atOnce).map(answerTo))));
        await isBusy;
      }
    },
  );
  expect(together).toEqual(questions.map((_, nth) => alone[(nth * 7) % questions.length]));
  expect(statements).toBeLessThan(questions.length / 4);
});

test("a version that many ask for at once, and nobody before, is read once", async () => {
  await publish(alice, "sought");
  const { sql, readSql } = server.context;
  let reads = 0;
  const note = (text: string) => (reads += text.includes("with ordinality wanted") ? 1 : 0);
  await watchStatements([sql, readSql], note, async () => {
    const path = "alice/sought?view=version";
    const asked = Array.from({ length: 50 }, () => answerTo({ path, token: bob.token, etag: '"none"' }));
    const [first, ...others] = await Promise.all(asked);
    for (const other of others) expect(other).toEqual(first);
  });
  expect(reads).toBe(1);
});

test("a prompt is found by its address, where statistics are of a time with one owner and all others call theirs the same", async () => {
  const { sql, readSql } = server.context;
  const publishOf = (who: string, slug: string) => sql`
    insert into prompts (owner_id, slug, kind, title, visibility, status, rating, license)
    select u.id, ${sql.unsafe(slug)}, 'text', 'Public', 'public', 'published', 'general', 'MIT'
    from users u, generate_series(1, 1000) n where u.handle = ${sql.unsafe(who)}`;
  await publishOf("'alice'", "'other-' || n");
  await sql`vacuum analyze prompts, users, versions`;
  await sql`insert into users (handle) select 'owner-' || n from generate_series(1, 1000) n`;
  await publishOf("'owner-' || n", "'public'");
  const { n } = await proposeFiles(bob, "alice/public", { "PROMPT.md": "Better" });
  const sent = new Map<string, Sent>();
  const note = (text: string, parameters: unknown[]) =>
    void (/^\s*select/.test(text) && text.includes("prompts") && sent.set(text, { text, parameters }));
  await watchStatements([sql, readSql], note, async () => {
    await bob.request("GET /prompts/alice/public");
    await bob.request("GET /prompts/alice/public?view=version&label=production");
    await bob.request("GET /prompts/alice/public/diff/1..2");
    await bob.request(`GET /prompts/alice/public/change-requests/${n}`);
    await alice.request("PATCH /prompts/alice/public", { body: { title: "Another" } });
    await alice.request("POST /prompts/alice/public/versions/1/yank", { body: { reason: "Wrong" } });
  });
  expect(sent.size).toBeGreaterThan(5);
  const reading: string[] = [];
  // Of its own, since to explain deletes the prepared statements of a connection.
  const explaining = connect({ ...parseDatabaseUrl(server.database.url), connections: 1 });
  for (const statement of sent.values()) {
    for (const plan of await explain(explaining, statement, { modes: ["custom", "generic"], runs: true }))
      if ([...stepsOf(plan)].some((step) => rowsOf(step) > 100)) reading.push(statement.text);
  }
  await explaining.end();
  expect(reading).toEqual([]);
});
