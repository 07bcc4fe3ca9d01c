import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { countLock, type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import type { Person } from "../../../test/harness.ts";

let server: FixtureServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startFixtures();
  alice = await server.real.join("alice");
  bob = await server.real.join("bob");
});
afterAll(() => server.stop());

/** Increases the count of a word. Each test has its own word. */
const count = (word: string, key: string, { said = "go", token = alice.token, query = "" } = {}) =>
  server.request(`POST /counts/${word}${query}`, {
    token,
    headers: { "idempotency-key": key },
    body: { said },
  });

/** The accounts that changed a word, in order. */
async function effectsOn(word: string): Promise<string[]> {
  const rows = await server.real.sql<{ who: string }[]>`
    select coalesce(u.handle, 'anonymous') as who from audit_log a left join users u on u.id = a.actor_id
    where a.target = ${word} order by a.id`;
  return rows.map(({ who }) => who);
}

describe("the same request with the same key", () => {
  test("has its effect once, and gets the same response, without what is shown once", async () => {
    const first = await count("again", "k-1");
    expect([first.status, first.json]).toEqual([201, { count: 1, secret: "shown once" }]);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const second = await count("again", "k-1");
    expect([second.status, second.json]).toEqual([201, { count: 1 }]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    for (const name of ["location", "etag", "content-type", "cache-control"]) {
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect(await effectsOn("again")).toEqual(["alice"]);
  });

  test("has its effect once if the response is empty", async () => {
    const touch = () =>
      server.request("POST /touch", { token: alice.token, headers: { "idempotency-key": "k-2" } });
    expect((await touch()).status).toBe(204);
    const again = await touch();
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([204, "true"]);
    expect(await effectsOn("it")).toEqual(["alice"]);
  });

  test("is the same whether the key is quoted or bare", async () => {
    await count("quoted", "k-3");
    expect((await count("quoted", '"k-3"')).headers.get("idempotency-replayed")).toBe("true");
  });

  test("is stored without the secret", async () => {
    await count("secret", "k-4");
    const rows = await server.real.sql`select * from idempotency_keys where key = 'k-4'`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain("shown once");
  });
});

describe("a key", () => {
  test("with another body is refused", async () => {
    await count("other", "k-5");
    const { status, json } = await count("other", "k-5", { said: "something else" });
    expect([status, json.error.code]).toEqual([422, "idempotency_key_reused"]);
    expect(await effectsOn("other")).toEqual(["alice"]);
  });

  test("belongs to its account and its path", async () => {
    await count("mine", "k-6");
    for (const other of [await count("mine", "k-6", { token: bob.token }), await count("yours", "k-6")]) {
      expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([201, null]);
    }
    expect(await effectsOn("mine")).toEqual(["alice", "bob"]);
    expect(await effectsOn("yours")).toEqual(["alice"]);
  });

  test.each(["", '""', "x".repeat(256), "ümlaut", "tab\tin it"])("%j is refused", async (key) => {
    const { status, json } = await count("refused", key);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(await effectsOn("refused")).toEqual([]);
  });

  test("is ignored without an account", async () => {
    const headers = { "idempotency-key": "k-7" };
    for (let i = 0; i < 2; i++)
      expect((await server.request("POST /record", { headers, body: { said: "" } })).status).toBe(200);
    expect(await effectsOn("anonymous")).toEqual(["anonymous", "anonymous"]);
  });

  test("works if the token is optional", async () => {
    const record = (said: string) =>
      server.request("POST /record", {
        token: bob.token,
        headers: { "idempotency-key": "k-8" },
        body: { said },
      });
    await record("one");
    expect((await record("one")).headers.get("idempotency-replayed")).toBe("true");
    expect((await record("two")).json.error.code).toBe("idempotency_key_reused");
    expect(await effectsOn("bob")).toEqual(["bob"]);
  });

  test("is ignored for a PUT, which needs none", async () => {
    const put = (said: string) =>
      server.request("PUT /words/a", {
        token: alice.token,
        headers: { "idempotency-key": "k-9" },
        body: { said },
      });
    await put("one");
    expect((await put("two")).json).toEqual({ said: "two" });
  });

  test("is ignored for an upload, whose bytes are not kept to compare", async () => {
    const headers = { "idempotency-key": "k-10" };
    const send = async (said: string) => {
      const bytes = await server.request("POST /bytes", {
        token: alice.token,
        headers: { ...headers, "content-type": "application/octet-stream" },
        body: said,
      });
      const form = new FormData();
      form.append("title", said);
      return [
        bytes.json.said,
        (await server.request("POST /form", { token: alice.token, headers, body: form })).json.fields,
      ];
    };
    const [first, second] = [await send("one"), await send("two")];
    expect(first).not.toEqual(second);
    expect(second[1]).toEqual({ title: "two" });
  });
});

describe("a response", () => {
  const note = (said: string, key: string) =>
    server.request("POST /notes", {
      token: alice.token,
      headers: { "idempotency-key": key },
      body: { said },
    });
  /** A text that makes the response, `{"said":"…"}`, this many bytes long. */
  const saying = (begins: string, bytes: number) =>
    `${begins}ä${"x".repeat(bytes - Buffer.byteLength(`{"said":"${begins}ä"}`))}`;
  const storedOf = async (key: string) => {
    const [row] = await server.real.sql`
      select octet_length(body) as bytes, headers from idempotency_keys where key = ${key}`;
    return row;
  };

  test("of 64 KiB is stored, and replayed to the byte", async () => {
    const said = saying("just-fits", 65_536);
    const first = await note(said, "k-18");
    const again = await note(said, "k-18");
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await storedOf("k-18")).toEqual({ bytes: 65_536, headers: {} });
    expect(await effectsOn("just-fits")).toEqual(["alice"]);
  });

  test("that is longer is read again, and the effect still happens once", async () => {
    const said = saying("too-long!", 65_537);
    const first = await note(said, "k-19");
    expect(first.json).toEqual({ said });
    const again = await note(said, "k-19");
    expect([again.status, again.json]).toEqual([201, { said: "read again: too-long!" }]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await storedOf("k-19")).toEqual({ bytes: 0, headers: { subject: { beginning: "too-long!" } } });
    expect(await effectsOn("too-long!")).toEqual(["alice"]);
    expect((await note(`${said}!`, "k-19")).json.error.code).toBe("idempotency_key_reused");
  });
});

describe("an error", () => {
  test("is not stored: a retry runs again", async () => {
    expect((await count("failing", "k-11", { said: "fail" })).status).toBe(409);
    expect((await count("failing", "k-11", { said: "fail" })).headers.get("idempotency-replayed")).toBeNull();
    expect((await count("failing", "k-11")).json.count).toBe(1);
  });

  test("of validation is not stored either", async () => {
    const body = { wrong: 1 };
    const headers = { "idempotency-key": "k-12" };
    expect((await server.request("POST /counts/invalid", { token: alice.token, headers, body })).status).toBe(
      422,
    );
    expect((await count("invalid", "k-12")).json.count).toBe(1);
  });

  test("about the account comes before any stored response", async () => {
    const carol = await server.real.join("carol");
    await count("carol", "k-13", { token: carol.token });
    await server.real.sql`update users set suspended_at = clock() where id = ${carol.id}`;
    expect((await count("carol", "k-13", { token: carol.token })).json.error.code).toBe("account_suspended");
  });
});

describe("while the first request runs", () => {
  test("a second one with its key is refused, and a third one after it gets its response", async () => {
    const answers = await holding(async () => {
      const first = count("held", "k-14");
      await isWaiting(1);
      const second = await count("held", "k-14");
      const other = count("held", "k-15");
      await isWaiting(2);
      return { first, second, other };
    });
    expect([answers.second.status, answers.second.json.error.code]).toEqual([409, "idempotency_key_in_use"]);
    expect((await answers.first).status).toBe(201);
    expect((await answers.other).status).toBe(201);
    const third = await count("held", "k-14");
    expect([third.json.count, third.headers.get("idempotency-replayed")]).toEqual([
      (await answers.first).json.count,
      "true",
    ]);
    expect(await effectsOn("held")).toEqual(["alice", "alice"]);
  });

  test("only one of ten at once has an effect", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => count("ten", "k-16")));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(201);
    expect(await effectsOn("ten")).toEqual(["alice"]);
  });

  /** Does something while every count waits for a lock that we hold. */
  async function holding<T>(act: () => Promise<T>): Promise<T> {
    return (await server.real.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${countLock})`;
      return act();
    })) as T;
  }

  const isWaiting = (requests: number) =>
    vi.waitFor(async () => {
      const waiting = await server.real.sql`
        select from pg_locks where locktype = 'advisory' and objid = ${countLock} and not granted`;
      expect(waiting).toHaveLength(requests);
    });
});

// Last, because it stops the clock.
test("a key expires after a day, and not before", async () => {
  await server.real.setClock("2031-01-01T00:00:00Z");
  expect((await count("day", "k-17")).json.count).toBe(1);
  await server.real.setClock("2031-01-01T23:59:59Z");
  await server.real.workOff();
  expect((await count("day", "k-17")).json.count).toBe(1);
  await server.real.setClock("2031-01-02T00:00:00Z");
  expect((await count("day", "k-17", { said: "another body" })).json).toEqual({
    count: 2,
    secret: "shown once",
  });
  expect((await count("day", "k-17", { said: "another body" })).headers.get("idempotency-replayed")).toBe(
    "true",
  );
  await server.real.setClock("2031-01-03T00:00:01Z");
  await server.real.workOff();
  expect((await server.real.sql`select from idempotency_keys where key = 'k-17'`).count).toBe(0);
});
