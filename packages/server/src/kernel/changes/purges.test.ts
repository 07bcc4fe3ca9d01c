import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { selectBacklog } from "../../backlog.sql.ts";
import { startPurging } from "./purges.ts";

let server: TestServer;
let alice: Person;
let now = Date.parse("2032-01-01T00:00:00.000Z");

/** A CDN, and how it answers. */
let purges: { keys: string[]; headers: IncomingHttpHeaders; body: string }[] = [];
let answer: (response: ServerResponse) => unknown;
const ok = (response: ServerResponse) => response.end();
const cdn = createServer((request, response) => {
  const keys = String(request.headers["surrogate-key"]).split(" ");
  void text(request).then((body) => {
    purges.push({ keys, headers: request.headers, body });
    return answer(response);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => cdn.listen(0, "127.0.0.1", resolve));
  const purgeUrl = new URL(`http://127.0.0.1:${(cdn.address() as AddressInfo).port}/purge`);
  server = await startTestServer({ cdn: { purgeUrl, token: "a-token-of-the-cdn" } });
  alice = await server.join("alice");
});
beforeEach(async () => {
  answer = ok;
  await pass(3_600);
  await server.workOff();
  purges = [];
});
afterAll(async () => {
  await server.stop();
  cdn.close();
});

async function pass(seconds: number): Promise<void> {
  now += seconds * 1_000;
  await server.setClock(new Date(now).toISOString());
}
const turn = async (slug: string, visibility: string) =>
  expect((await alice.request(`PATCH /prompts/alice/${slug}`, { body: { visibility } })).status).toBe(200);
const idOf = async (slug: string) =>
  String((await server.sql`select id from prompts where slug = ${slug}`)[0]?.["id"]);
const keysSent = () => purges.map(({ keys }) => keys);

describe("a CDN", () => {
  test.each(["/versions/1", "/raw?version=1", "/raw/PROMPT.md?version=1", "/download?version=1"])(
    "keeps %s of a public prompt for a year, by the prompt's key, for everybody",
    async (path) => {
      const slug = `kept${path.replace(/\W+/g, "-").toLowerCase()}`;
      await publish(alice, slug);
      const id = await idOf(slug);
      for (const who of [alice, server.nobody]) {
        const { headers } = await who.request(`GET /prompts/alice/${slug}${path}`);
        expect(Object.fromEntries(headers)).toMatchObject({
          "cache-control": "public, max-age=31536000, s-maxage=60, immutable",
          "cdn-cache-control": "max-age=31536000",
          "surrogate-control": "max-age=31536000",
          "cache-tag": id,
          "surrogate-key": id,
        });
        expect(headers.get("vary")).toBe(null);
        const again = await who.request(`GET /prompts/alice/${slug}${path}`, {
          headers: { "if-none-match": String(headers.get("etag")) },
        });
        expect([again.status, again.headers.get("surrogate-key")]).toEqual([304, id]);
      }
    },
  );

  test.each(["", "?view=version", "?view=version&version=1", "/raw", "/versions"])(
    "is told to keep %s no longer than others",
    async (path) => {
      const slug = `short${path.replace(/\W+/g, "-")}`;
      await publish(alice, slug);
      const { status, headers } = await server.anonymous(`GET /prompts/alice/${slug}${path}`);
      expect([status, headers.get("surrogate-control"), headers.get("surrogate-key")]).toEqual([
        200,
        null,
        null,
      ]);
    },
  );

  test.each(["private", "unlisted"])("is told to keep nothing of a prompt that is %s", async (visibility) => {
    await publish(alice, `not-${visibility}`);
    await turn(`not-${visibility}`, visibility);
    const { status, headers } = await alice.request(`GET /prompts/alice/not-${visibility}/versions/1`);
    expect([status, headers.get("surrogate-control"), headers.get("vary")]).toEqual([
      200,
      null,
      "Authorization, Accept",
    ]);
  });

  test("forgets a prompt that turns private at once, and once more a minute later", async () => {
    await publish(alice, "hidden");
    await turn("hidden", "private");
    await server.workOff();
    const id = await idOf("hidden");
    expect(purges).toMatchObject([
      {
        keys: [id],
        body: JSON.stringify({ tags: [id] }),
        headers: { authorization: "Bearer a-token-of-the-cdn", "fastly-key": "a-token-of-the-cdn" },
      },
    ]);
    await pass(59);
    await server.workOff();
    expect(purges.length).toBe(1);
    await pass(1);
    await server.workOff();
    await pass(3_600);
    await server.workOff();
    expect(keysSent()).toEqual([[id], [id]]);
    expect((await server.sql`select from purges`).count).toBe(0);
  });

  test("forgets a prompt that is deleted", async () => {
    await publish(alice, "deleted");
    await alice.request("DELETE /prompts/alice/deleted");
    await server.workOff();
    expect(keysSent()).toEqual([[await idOf("deleted")]]);
  });

  test("is asked again until it has forgotten", async () => {
    await publish(alice, "refused");
    await turn("refused", "private");
    const answers = [403, 302, 500];
    const waits: unknown[] = [];
    const report = vi.spyOn(server.context.failures, "report");
    const secondsToNext = async () =>
      (await server.sql`select extract(epoch from due_at - clock())::int as seconds from purges`)[0]?.[
        "seconds"
      ];
    for (const status of answers) {
      answer = (response) => response.writeHead(status, { location: "/elsewhere" }).end();
      await server.workOff();
      waits.push(await secondsToNext());
      await pass(300);
    }
    expect([purges.length, waits]).toEqual([answers.length, [2, 4, 8]]);
    for (const [nth, [error]] of report.mock.calls.entries())
      expect((error as Error).message).toContain(`answered ${answers[nth]}`);
    expect(report).toHaveBeenCalledTimes(answers.length);
    report.mockRestore();
    await server.sql`update purges set attempts = 1000`;
    answer = (response) => response.destroy();
    await server.workOff();
    expect(await secondsToNext()).toBe(300);
    await pass(300);
    answer = ok;
    await server.workOff();
    // The first that it took came long after the change, and is the last.
    await pass(3_600);
    await server.workOff();
    expect(purges.length).toBe(answers.length + 2);
  });

  test("is asked for all that it refused as soon as it takes something", async () => {
    await publish(alice, "failed");
    await publish(alice, "taken");
    answer = (response) => response.writeHead(403).end();
    await turn("failed", "private");
    await server.workOff();
    answer = ok;
    await turn("taken", "private");
    purges = [];
    await server.workOff();
    expect(new Set(keysSent().flat())).toEqual(new Set([await idOf("failed"), await idOf("taken")]));
  });

  test("is asked for what it takes while another process has what it refused", async () => {
    await publish(alice, "elsewhere");
    await publish(alice, "here");
    answer = (response) => response.writeHead(403).end();
    await turn("elsewhere", "private");
    await server.workOff();
    answer = ok;
    await turn("here", "private");
    purges = [];
    await server.sql.begin(async (another) => {
      await another`select from purges where attempts > 0 for update`;
      await server.workOff();
    });
    expect(keysSent()).toEqual([[await idOf("here")]]);
  });

  test("counts as backlog from its first failure on", async () => {
    const backlog = () => selectBacklog(server.sql, { hasCdn: false });
    await publish(alice, "counted");
    await turn("counted", "private");
    expect((await backlog()).purges.count).toBe(0);
    answer = (response) => response.writeHead(403).end();
    await server.workOff();
    await pass(1);
    expect((await backlog()).purges).toEqual({ count: 1, ageSeconds: 1 });
  });

  test("is asked by a server without a worker, first for what was refused, perhaps by other settings", {
    tags: "long",
  }, async () => {
    await publish(alice, "alone");
    await turn("alone", "private");
    answer = (response) => response.writeHead(403).end();
    await server.workOff();
    answer = ok;
    purges = [];
    const purging = startPurging(server.context);
    const id = await idOf("alone");
    await expect.poll(keysSent, { timeout: 60_000 }).toEqual([[id]]);
    await purging.stop();
  });

  test("forgets what is hidden again while it is asked", async () => {
    await publish(alice, "twice");
    await turn("twice", "private");
    answer = async (response) => {
      answer = ok;
      await turn("twice", "public");
      await turn("twice", "private");
      response.end();
    };
    await server.workOff();
    await server.workOff();
    const id = await idOf("twice");
    expect(keysSent()).toEqual([[id], [id]]);
  });

  test("is asked for many prompts at once", { tags: "long" }, async () => {
    const slugs = Array.from({ length: 31 }, (_, nth) => `many-${nth}`);
    for (const slug of slugs) await publish(alice, slug);
    for (const slug of slugs) await turn(slug, "private");
    await server.workOff();
    expect(purges.map(({ keys }) => keys.length)).toEqual([30, 1]);
    expect(new Set(purges.flatMap(({ keys }) => keys)).size).toBe(31);
  });
});

test("without a CDN nothing says that one may keep anything, and nothing is kept for one", {
  tags: "long",
}, async () => {
  const plain = await startTestServer();
  const bob = await plain.join("bob");
  await publish(bob, "plain");
  const { headers } = await plain.anonymous("GET /prompts/bob/plain/versions/1");
  expect([headers.get("surrogate-control"), headers.get("cdn-cache-control"), headers.get("vary")]).toEqual([
    null,
    null,
    "Authorization, Accept",
  ]);
  await plain.setClock("2032-01-01T00:00:00Z");
  await bob.request("DELETE /prompts/bob/plain");
  await plain.setClock("2032-01-02T00:00:01Z");
  await plain.workOff();
  expect((await plain.sql`select from purges`).count).toBe(0);
  await plain.stop();
});
