import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { openSecretBox } from "../../kernel/secrets/secret-box.ts";
import { printToken, readToken, type Subscription } from "./token.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  await server.setClock("2026-03-01T12:00:00.000Z");
  alice = await server.join("alice");
});
afterAll(() => server.stop());
beforeEach(() =>
  alice.request("PATCH /me", {
    body: { preferences: { emailTypes: ["prompt.label.moved", "webhook.disabled"] } },
  }),
);

const nextYear = Date.parse("2027-03-01T12:00:00.000Z") / 1000;
const tokenOf = (fields: Partial<Subscription> = {}) =>
  printToken(server.context.secrets, {
    user: alice.id,
    list: "prompt.label.moved",
    exp: nextYear,
    ...fields,
  });
const open = (t: string) => server.anonymous(`GET /notifications/unsubscribe?t=${t}`);
const form = { "content-type": "application/x-www-form-urlencoded" };
const post = (
  t: string,
  body: unknown = "List-Unsubscribe=One-Click",
  headers: Record<string, string> = form,
) => server.anonymous(`POST /notifications/unsubscribe?t=${t}`, { body, headers });
const me = async () => (await alice.request("GET /me")).json;
const types = async () => (await me()).preferences.emailTypes;

const both = ["prompt.label.moved", "webhook.disabled"];

describe("the page that a mail links to", () => {
  test("asks, and changes nothing however often it is opened", async () => {
    for (const _ of [1, 2]) {
      const { status, headers, text } = await open(tokenOf());
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toContain("<b>alice</b>");
      expect(text).toContain("<code>prompt.label.moved</code>");
      expect(text).toContain('<form method="post">');
    }
    expect(await types()).toEqual(both);
  });

  test("runs nothing, loads nothing, is not stored and sends no referrer", async () => {
    const { headers, text } = await open(tokenOf());
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'; /,
    );
    expect(policy).not.toContain("unsafe");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(headers.get("cache-control")).toBe("no-store");
    expect([headers.get("etag"), headers.get("set-cookie")]).toEqual([null, null]);
    expect(text).not.toMatch(/<script|src=|https?:/);
  });

  test("says so if the mail was ended already", async () => {
    await post(tokenOf());
    const { status, text } = await open(tokenOf());
    expect([status, text.includes("<form")]).toEqual([200, false]);
    expect(text).toContain("gets no more mail");
  });

  test("escapes what it shows", async () => {
    const odd = await server.join(`<img src=x onerror="a">`);
    const { text } = await open(tokenOf({ user: odd.id }));
    expect(text).toContain("&lt;img src=x onerror=&quot;a&quot;&gt;");
    expect(text).not.toContain("<img");
  });
});

describe("one click", () => {
  test("in a mail program ends it, without a cookie, a token or a redirect", async () => {
    const { revision } = await revisionOf();
    const { status, headers, text } = await post(tokenOf());
    expect([status, headers.get("location"), headers.get("set-cookie")]).toEqual([200, null, null]);
    expect(text).toContain("Unsubscribed");
    expect(await types()).toEqual(["webhook.disabled"]);
    expect((await revisionOf()).revision).toBe(revision + 1);
  });

  test("repeated gets the same response, and changes nothing", async () => {
    const first = await post(tokenOf());
    const before = await revisionOf();
    const again = await post(tokenOf());
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await revisionOf()).toEqual(before);
  });

  test("can come as multipart", async () => {
    const body = new FormData();
    body.set("List-Unsubscribe", "One-Click");
    expect((await post(tokenOf(), body, {})).status).toBe(200);
    expect(await types()).toEqual(["webhook.disabled"]);
  });

  test("also ends the mail about disabled webhooks, which is on by default", async () => {
    const bob = await server.join("bob");
    expect((await bob.request("GET /me")).json.preferences.emailTypes).toEqual(["webhook.disabled"]);
    await post(tokenOf({ user: bob.id, list: "webhook.disabled" }));
    expect((await bob.request("GET /me")).json.preferences.emailTypes).toEqual([]);
    expect(await types()).toEqual(both);
  });

  test.for<[string, unknown, Record<string, string>, number]>([
    ["nothing", "", form, 422],
    ["another word", "List-Unsubscribe=Two-Clicks", form, 422],
    ["it twice", "List-Unsubscribe=One-Click&List-Unsubscribe=One-Click", form, 422],
    ["something more", "List-Unsubscribe=One-Click&user=bob", form, 422],
    ["what is no text", new Uint8Array([0xff, 0xfe]), form, 422],
    ["JSON", { "List-Unsubscribe": "One-Click" }, {}, 415],
    ["too much", `List-Unsubscribe=${"x".repeat(5000)}`, form, 413],
  ])("is not %s", async ([, body, headers, expected]) => {
    const { status, json } = await post(tokenOf(), body, headers);
    expect([status, typeof json.error.code]).toEqual([expected, "string"]);
    expect(await types()).toEqual(both);
  });
});

describe("a link", () => {
  /** The statuses for opening it and for a POST to it. */
  const answersTo = async (t: string) => {
    const [page, { status, json }] = [await open(t), await post(t)];
    const isBad = page.text.includes("This link does not work");
    return [page.status, page.headers.get("content-type"), isBad, status, json?.error.code, await types()];
  };
  const refusal = [404, "text/html; charset=utf-8", true, 404, "not_found", both];

  test("works until it expires", async () => {
    const now = Date.parse("2026-03-01T12:00:00.000Z") / 1000;
    expect(await answersTo(tokenOf({ exp: now }))).toEqual(refusal);
    expect((await post(tokenOf({ exp: now + 1 }))).status).toBe(200);
  });

  test("does not work if anything in it was changed", async () => {
    const [id = "", payload = "", digest = ""] = tokenOf().split(".");
    const forged = (fields: object) =>
      Buffer.from(
        JSON.stringify({ user: alice.id, list: "prompt.label.moved", exp: nextYear, ...fields }),
      ).toString("base64url");
    const flip = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    for (const t of [
      `${id}.${forged({ exp: nextYear + 1 })}.${digest}`,
      `${id}.${forged({ list: "webhook.disabled" })}.${digest}`,
      `${id}.${flip(payload, 5)}.${digest}`,
      `${id}.${payload}.${flip(digest, 0)}`,
      `${id}.${payload}.${flip(digest, 20)}`,
      `${id}.${payload}.${digest.slice(1)}`,
      `${id}.${payload}.${digest}A`,
      `${id}.${payload}.`,
      `x.${id}.${payload}.${digest}`,
      `000000000000.${payload}.${digest}`,
      `${payload}.${digest}`,
      payload,
      ".",
      "x",
    ]) {
      expect(await answersTo(t)).toEqual(refusal);
    }
  });

  test("from before links had their own key still works", () => {
    const sent =
      "eyJ1c2VyIjoidXNyXzAxMjM0NTY3ODlhYmNkZWZnaGlqa2wiLCJsaXN0IjoicHJvbXB0LmRlbGV0ZWQiLCJleHAiOjQwMDAwMDAwMDB9.1uLNTRAgOsTlJBZLQrt_7ItX5Z9C8pXrAF6QSWs-ZLM";
    const expected = { user: "usr_0123456789abcdefghijkl", list: "prompt.deleted", exp: 4e9 };
    expect(readToken(openSecretBox("one secret of at least thirty-two bytes"), sent)).toEqual(expected);
    expect(readToken(openSecretBox("one secret of at least thirty-two bytez"), sent)).toBeNull();
  });

  test("does not work from another server, or for an unknown account or type", async () => {
    for (const t of [
      printToken(openSecretBox("another secret"), {
        user: alice.id,
        list: "prompt.label.moved",
        exp: nextYear,
      }),
      tokenOf({ user: "usr_00000000000000000000000000" }),
      tokenOf({ list: "gone.type" as never }),
    ]) {
      expect(await answersTo(t)).toEqual(refusal);
    }
  });
});

async function revisionOf(): Promise<{ revision: number }> {
  const [row] = await server.sql<{ revision: number }[]>`
    select revision::int from users where id = ${alice.id}`;
  return row ?? { revision: 0 };
}
