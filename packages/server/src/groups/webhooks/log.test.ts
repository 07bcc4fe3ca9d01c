import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { itemsOf } from "../../../test/requests.ts";

// No worker runs here: the log holds what the tests write.
let server: TestServer;
let alice: Person;
let id: string;

const url = "https://93.184.215.14/hook";
const hook = async () => (await alice.request("POST /webhooks", { body: { url } })).json.id as string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
beforeEach(async () => {
  await server.sql`update webhooks set deleted_at = clock()`;
  id = await hook();
});
afterAll(() => server.stop());

const ping = async (webhook = id) =>
  (await alice.request(`POST /webhooks/${webhook}/test`)).json.id as string;
const log = (query = "") => alice.request(`GET /webhooks/${id}/deliveries${query}`);
const idsOf = async (query?: string): Promise<string[]> =>
  (await log(query)).json.items.map((item: { id: string }) => item.id);
/** Writes deliveries as many days ago as it says, of some events, that came to some end; gives their ids, oldest first. */
async function fill(rows: { daysAgo?: number; event?: string; status?: string }[]): Promise<string[]> {
  const ids = [];
  for (const { daysAgo = 0, event = "prompt.label.moved", status = "succeeded" } of rows) {
    const [row] = await server.sql`
      with moment as (select (clock() - make_interval(days => ${daysAgo})) as at)
      insert into deliveries (day, id, event_day, event_id, event, webhook_id, epoch, status, created_at)
      select at::date, 'dlv_' || right(base32(ms >> 40), 2) || base32(ms & 1099511627775) || right(new_id('x'), 16),
        at::date, new_id('evt'), ${event}, ${id}, 0, ${status}, at
      from moment, lateral (select (extract(epoch from at) * 1000)::bigint as ms) time
      returning id`;
    ids.push(row?.["id"]);
  }
  return ids.sort();
}

/** The ids of a list, asked for in parts. */
const whole = async (query: string): Promise<string[]> =>
  (await itemsOf(alice, `GET /webhooks/${id}/deliveries?limit=2${query}`)).map((item) => item.id);

describe("a delivery", () => {
  test("shows what became of it, and by itself also what was sent and how each attempt went", async () => {
    const deliveryId = await ping();
    const read = () => alice.request(`GET /webhooks/${id}/deliveries/${deliveryId}`);
    const before = await read();
    await server.sql`
      update deliveries set status = 'failed', attempts = 1, next_attempt_at = null, completed_at = clock(),
        response_status = 503, response_time_ms = 12, response_excerpt = 'Come back later.', error = 'status: Oh no.',
        attempt_log = ${server.sql.json([{ at: "2030-01-01T00:00:00.000Z", responseStatus: 503, responseTimeMs: 12, error: "status: Oh no." }])}
      where id = ${deliveryId}`;
    const { json, headers } = await read();
    expect(headers.get("etag")).not.toBe(before.headers.get("etag"));
    const { payload, attemptLog, ...summary } = json;
    expect(summary).toEqual({
      id: deliveryId,
      webhookId: id,
      eventId: payload.id,
      event: "ping",
      status: "failed",
      attempts: 1,
      maxAttempts: 1,
      nextAttemptAt: null,
      responseStatus: 503,
      responseTimeMs: 12,
      responseExcerpt: "Come back later.",
      error: "status: Oh no.",
      redeliveryOf: null,
      createdAt: expect.any(String),
      completedAt: expect.any(String),
    });
    expect(payload).toMatchObject({ event: "ping", data: { webhook: { id, url } } });
    expect(attemptLog).toEqual([
      { at: "2030-01-01T00:00:00.000Z", responseStatus: 503, responseTimeMs: 12, error: "status: Oh no." },
    ]);
    expect((await log()).json.items).toEqual([summary]);
    expect((await log("?include=payload")).json.items).toEqual([{ ...summary, payload }]);
  });

  test.for<[string, Buffer, string]>([
    ["broken UTF-8", Buffer.from([0x61, 0xff, 0xfe, 0x62]), "a\ufffd\ufffdb"],
    ["NUL", Buffer.from("a\0b"), "a\ufffdb"],
    ["a byte order mark", Buffer.from("\ufeffa"), "\ufeffa"],
    ["quotes and control characters", Buffer.from('"\\\r\n\u0001'), '"\\\r\n\u0001'],
    ["nothing", Buffer.alloc(0), ""],
  ])("shows an answer of %s as text", async ([, bytes, text]) => {
    const deliveryId = await ping();
    await server.sql`
      update deliveries set response_status = 200, response_excerpt = ${bytes} where id = ${deliveryId}`;
    expect((await log()).json.items[0].responseExcerpt).toBe(text);
    const alone = await alice.request(`GET /webhooks/${id}/deliveries/${deliveryId}`);
    expect(alone.json.responseExcerpt).toBe(text);
  });

  test("has no excerpt where no answer came", async () => {
    const deliveryId = await ping();
    await server.sql`update deliveries set response_excerpt = '', error = 'dns: No.' where id = ${deliveryId}`;
    expect((await log()).json.items[0]).toMatchObject({ responseStatus: null, responseExcerpt: null });
  });

  test("is found under its own webhook alone", async () => {
    const other = await hook();
    const deliveryId = await ping(other);
    for (const route of [
      `GET /webhooks/${id}/deliveries/${deliveryId}`,
      `POST /webhooks/${id}/deliveries/${deliveryId}/redeliver`,
    ]) {
      expect((await alice.request(route)).json.error.code).toBe("not_found");
    }
    expect((await alice.request(`GET /webhooks/${other}/deliveries/${deliveryId}`)).status).toBe(200);
  });
});

describe("a delivery log", () => {
  test("is newest first, or oldest first, over all days, and paged without a gap or a repetition", async () => {
    const ids = await fill([29, 12, 3, 3, 0, 0, 0].map((daysAgo) => ({ daysAgo })));
    expect(await whole("")).toEqual([...ids].reverse());
    expect(await idsOf()).toEqual([...ids].reverse());
    await vi.waitFor(async () => expect(await whole("&order=asc")).toEqual(ids));
  });

  test("can be narrowed to a status, an event, or both", async () => {
    const rows = ["pending", "succeeded", "failed", "cancelled"].flatMap((status) =>
      ["prompt.published", "ping"].map((event) => ({ status, event })),
    );
    await fill([...rows, ...rows.map((row) => ({ ...row, daysAgo: 2 }))]);
    for (const { status, event } of rows) {
      for (const [query, wanted] of [
        [`&status=${status}`, { status }],
        [`&event=${event}`, { event }],
        [`&status=${status}&event=${event}`, { status, event }],
      ] as const) {
        const { items } = (await log(`?limit=100${query}`)).json;
        const expected = rows.filter((row) =>
          Object.entries(wanted).every(([k, v]) => row[k as "status"] === v),
        );
        expect(items).toHaveLength(expected.length * 2);
        for (const item of items) expect(item).toMatchObject(wanted);
        expect(await whole(query)).toEqual(items.map((item: { id: string }) => item.id));
      }
    }
  });

  test.for([
    "?status=done",
    "?event=prompt.starred",
    "?after=dlv_1",
    "?order=newest",
    "?include=all",
    "?limit=101",
  ])("refuses %s", async (query) => {
    expect((await log(query)).json.error.code).toBe("validation_failed");
  });

  test("refuses a cursor of other filters, or of another log", async () => {
    await fill([{}, {}, {}]);
    const { nextCursor } = (await log("?limit=1")).json;
    expect((await log(`?limit=2&cursor=${nextCursor}`)).status).toBe(200);
    expect((await log(`?order=asc&cursor=${nextCursor}`)).json.error.code).toBe("invalid_cursor");
    id = await hook();
    expect((await log(`?limit=1&cursor=${nextCursor}`)).json.error.code).toBe("invalid_cursor");
  });
});

describe("following a log", () => {
  test("shows what is newer than a delivery, in the order it came, or the other way when asked", async () => {
    const [, second = "", ...newer] = await fill([5, 4, 3, 2, 1].map((daysAgo) => ({ daysAgo })));
    expect(await idsOf(`?after=${second}`)).toEqual(newer);
    expect(await whole(`&after=${second}`)).toEqual(newer);
    expect(await whole(`&after=${second}&order=desc`)).toEqual([...newer].reverse());
    expect(await idsOf(`?after=${newer.at(-1)}`)).toEqual([]);
  });

  test("waits for a delivery whose transaction commits after those of newer ones", async () => {
    const first = await ping();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: written, resolve: isWritten } = Promise.withResolvers<string>();
    const slow = server.sql.begin(async (sql) => {
      const [row] = await sql`
        insert into deliveries (day, event_day, event_id, event, webhook_id, epoch)
        values (clock()::date, clock()::date, new_id('evt'), 'prompt.published', ${id}, 0) returning id`;
      isWritten(row?.["id"]);
      await mayCommit;
    });
    const late = await written;
    await vi.waitFor(async () => expect((await ping()) > late).toBe(true));
    const seen = await idsOf();
    expect(seen).not.toContain(late);
    for (const query of [`?after=${first}`, `?after=${first}&order=desc`])
      expect(await idsOf(query)).toEqual([]);
    commit();
    await slow;
    const all = [late, ...seen.filter((one) => one > late)].sort();
    await vi.waitFor(async () => expect(await idsOf(`?after=${first}`)).toEqual(all));
  });

  test("works under a clock that was turned, once it has moved on", async () => {
    await server.setClock("2040-01-01T00:00:00.000Z");
    const first = await ping();
    await server.setClock("2040-01-01T00:00:01.000Z");
    const second = await ping();
    // Another one of this millisecond can still come.
    expect(await idsOf(`?after=${first}`)).toEqual([]);
    await server.setClock("2040-01-01T00:00:02.000Z");
    expect(await idsOf(`?after=${first}`)).toEqual([second]);
  });
});
