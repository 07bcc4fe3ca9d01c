import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import type { Answer, Person } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: FixtureServer;
const people: Record<string, Person> = {};

beforeAll(async () => {
  server = await startFixtures();
  const { real } = server;
  people["alice"] = await real.join("alice", { scopes: ["read", "write", "evals:write"] });
  people["bob"] = await real.join("bob");
  people["mod"] = await real.join("mod", { role: "moderator" });
  for (const [who, slug, visibility] of [
    ["alice", "open", "public"],
    ["alice", "secret", "private"],
    ["alice", "dead", "public"],
    ["bob", "his", "public"],
    ["bob", "hidden", "private"],
  ] as const) {
    await publish(people[who]!, slug, { visibility });
  }
  await people["alice"].request("DELETE /prompts/alice/dead");
  await people["alice"].request("PATCH /prompts/alice/open", { body: { slug: "opened" } });
});
afterAll(() => server.stop());

const call = (who: string | null, route: string, body?: object) =>
  server.request(route, { ...(who && { token: people[who]!.token }), ...(body && { body }) });
const outcome = ({ status, json }: Answer) => [status, json.said ?? json.error.code];

describe("an operation about one of several kinds", () => {
  test.each([
    ["prompt:alice/opened", [200, "opened"]],
    ["prompt:alice/open", [200, "opened"]],
    ["prompt:alice/secret", [404, "not_found"]],
    ["prompt:alice/nothing", [404, "not_found"]],
    ["prompt:alice/dead", [410, "gone"]],
    ["prompt:nonsense", [404, "not_found"]],
    ["run:run_1", [404, "not_found"]],
    ["prompt", [404, "not_found"]],
    ["userx", [404, "not_found"]],
    ["", [404, "not_found"]],
    ["user:\0", [404, "not_found"]],
    ["__proto__:x", [404, "not_found"]],
  ])("finds %s in a query, if the caller can see it", async (target, expected) => {
    expect(outcome(await call(null, `GET /about?target=${encodeURIComponent(target)}`))).toEqual(expected);
  });

  test("finds what only its caller can see", async () => {
    expect(outcome(await call("alice", "GET /about?target=prompt:alice/secret"))).toEqual([200, "secret"]);
  });

  test("has no target if its optional field is missing", async () => {
    expect(outcome(await call(null, "GET /about"))).toEqual([200, "nothing"]);
  });

  test("finds the kind that a body names", async () => {
    const praise = (type: string, id: string) => call("bob", "POST /praise", { target: { type, id } });
    expect(outcome(await praise("prompt", "alice/opened"))).toEqual([200, "prompt"]);
    expect(outcome(await praise("user", "alice"))).toEqual([200, "user"]);
    expect(outcome(await praise("user", "nobody"))).toEqual([404, "not_found"]);
    expect(outcome(await praise("prompt", "alice"))).toEqual([404, "not_found"]);
  });

  test("refuses a role that its description refuses", async () => {
    const target = { type: "prompt", id: "alice/opened" };
    expect(outcome(await call("alice", "POST /praise", { target }))).toEqual([409, "webhook_limit"]);
  });
});

describe("a field", () => {
  const edit = (who: string, body: object) => call(who, "PATCH /about/alice/opened", body);

  test("is for the roles that it declares, or else for those of its operation", async () => {
    expect(outcome(await edit("alice", { note: "a" }))).toEqual([200, "opened"]);
    expect(outcome(await edit("mod", { rating: "a" }))).toEqual([200, "opened"]);
    expect(outcome(await edit("alice", { rating: "a" }))).toEqual([403, "forbidden"]);
    expect(outcome(await edit("mod", { note: "a", rating: "a" }))).toEqual([403, "forbidden"]);
    expect(outcome(await edit("bob", {}))).toEqual([403, "forbidden"]);
    expect(outcome(await edit("mod", {}))).toEqual([200, "opened"]);
  });

  test("that is refused is named, with the roles that may send it", async () => {
    const { json } = await edit("mod", { note: "a", rating: "a" });
    expect(json.error.message).toBe(
      "You do not have permission to change note of this prompt: only its owner can.",
    );
  });

  test("can need a scope of its own", async () => {
    expect(outcome(await edit("alice", { secret: "a" }))).toEqual([200, "opened"]);
    const { id } = people["alice"]!;
    const plain = await server.real.join("alice");
    expect(plain.id).toBe(id);
    const answer = await server.request("PATCH /about/alice/opened", {
      token: plain.token,
      body: { secret: "a" },
    });
    expect(outcome(answer)).toEqual([403, "token_scope"]);
  });

  test("of a query can need a caller", async () => {
    expect(outcome(await call(null, "GET /about?mine=true"))).toEqual([401, "unauthenticated"]);
    expect(outcome(await call(null, "GET /about?mine=false"))).toEqual([200, "nothing"]);
    expect(outcome(await call("bob", "GET /about?mine=true"))).toEqual([200, "nothing"]);
  });
});

describe("an operation with two targets", () => {
  const propose = (who: string, to: string, ref: string, said?: string) =>
    call(who, `POST /about/${to}/proposals`, { source: { ref }, ...(said && { said }) });

  test("gets both", async () => {
    expect(outcome(await propose("bob", "alice/opened", "bob/hidden"))).toEqual([200, "hidden to opened"]);
  });

  test("answers for the first like an operation with one", async () => {
    expect(outcome(await propose("bob", "alice/secret", "bob/his"))).toEqual([404, "not_found"]);
    expect(outcome(await propose("bob", "alice/dead", "bob/his"))).toEqual([410, "gone"]);
    expect((await propose("bob", "alice/open", "bob/his")).status).toBe(308);
  });

  test("answers 404 for a hidden second target as for a missing one, and has its own code if permission is missing", async () => {
    const hidden = await propose("bob", "alice/opened", "alice/secret");
    const missing = await propose("bob", "alice/opened", "alice/nothing");
    expect([outcome(hidden), hidden.json.error.message]).toEqual([
      outcome(missing),
      missing.json.error.message,
    ]);
    expect(outcome(hidden)).toEqual([404, "not_found"]);
    expect(outcome(await propose("bob", "alice/opened", "alice/open"))).toEqual([409, "no_changes"]);
  });

  test("finds the second at its former address, without a redirect", async () => {
    expect(outcome(await propose("alice", "bob/his", "alice/open"))).toEqual([200, "opened to his"]);
  });

  test("does not deadlock with others about the same two, in either order", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 2
          ? propose("bob", "alice/opened", "bob/his", "wait")
          : propose("alice", "bob/his", "alice/opened", "wait"),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test("waits for others also where one of the two is locked by what it hangs on", {
    tags: "long",
  }, async () => {
    const compare = (who: string, to: string, version: string) =>
      call(who, `POST /about/${to}/comparisons`, { version });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 2 ? compare("bob", "alice/opened", "bob/his@1") : compare("alice", "bob/his", "alice/opened@1"),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers[0]?.json).toEqual({ said: "his and opened@1" });
  });
});
