import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settled } from "../../../test/endpoints.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { hostileUrls } from "../../kernel/reach/fixtures/urls.ts";

let server: TestServer;
let alice: Person;
/** A webhook in order. */
let id: string;

const url = "https://93.184.215.14/hook";
const titled = (text: string) => [text.slice(0, 60), text] as const;
/** What PostgreSQL cannot hold nobody can have planted. */
const plantable = hostileUrls.filter((text) => text.isWellFormed() && !text.includes("\0"));
/** The worker reads them as requests do: the long form has it try each, the short form every fifth. */
const planted = plantable.filter((_, nth) => isThorough || nth % 5 === 0);

beforeAll(async () => {
  server = await startTestServer({ works: true });
  server.context.allowUnsafeWebhooks = false;
  alice = await server.join("alice");
  id = (await alice.request("POST /webhooks", { body: { url, active: false } })).json.id;
});
afterAll(() => server.stop());

describe("an address that is refused", () => {
  /** All webhooks, as far as a request can change them. */
  const there = async () => [
    ...(await server.sql`select url, description, disabled_reason, updated_at from webhooks order by id`),
  ];
  /** Longer than any is refused before anybody reads it. */
  const codeFor = (text: string) => (text.length > 2_048 ? "validation_failed" : "webhook_url_refused");

  test.each(hostileUrls.map(titled))("%j makes no webhook, and changes none", async (_, text) => {
    const before = await there();
    const made = await alice.request("POST /webhooks", { body: { url: text } });
    const changed = await alice.request(`PATCH /webhooks/${id}`, {
      body: { url: text, description: "Changed" },
    });
    for (const { status, json } of [made, changed]) {
      expect([status, json.error.code]).toEqual([422, codeFor(text)]);
      expect(json.error.details).toMatchObject([{ path: "/url" }]);
    }
    expect(await there()).toEqual(before);
    expect(before).toMatchObject([{ url, description: null }]);
  });
});

describe("an address that was refused, but is in the database all the same", () => {
  let errors: Map<string, string>;
  beforeAll(async () => {
    await server.sql`
      insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
      select w.user_id, planted, w.secret_encrypted, w.secret_key_id, w.secret_hint
      from webhooks w, unnest(${planted}::text[]) planted where w.id = ${id}`;
    for (const row of await server.sql`select id from webhooks where id <> ${id}`) {
      await alice.request(`POST /webhooks/${row["id"]}/test`);
    }
    await settled(server);
    const rows = await server.sql<{ url: string; error: string }[]>`
      select w.url, d.error from deliveries d join webhooks w on w.id = d.webhook_id where d.status = 'failed'`;
    errors = new Map(rows.map(({ url, error }) => [url, error]));
  });

  test.each(planted.map(titled))("%j is logged as refused", (_, text) => {
    expect(errors.get(text)).toMatch(/^refused_address: [A-Z].*\.$/);
  });
});
