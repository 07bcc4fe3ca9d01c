import { contract, listOperations, type TokenRestriction } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  alike,
  fresh,
  hasTarget,
  isWrite,
  make,
  castings,
  request,
  send,
} from "../test/contract/requests.ts";
import { done, proposeFiles, publishFiles } from "../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { filesOf, moveLabel, publish } from "../test/prompts.ts";
import { codeOf, itemsOf } from "../test/requests.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

let server: TestServer;
let stage: TestStage;
let alice: Person;
const tokenOf = (restriction: Partial<TokenRestriction>) =>
  server.join("alice", {
    scopes: ["read", "write"],
    restriction: { prompts: ["*"], labels: null, creates: true, ...restriction },
  });

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  stage = new TestStage({ server, owner: alice, viewer: await server.join("viewer") });
});
afterAll(() => server.stop());

const operations = listOperations(contract);
/** Made before the stage is. */
const staged = (one: (typeof operations)[number]) => ({ ...one, stage });
const isOpen = ({ operation: { access } }: (typeof operations)[number]) => access.restricted !== undefined;

describe("a restricted token", () => {
  for (const one of operations.filter((one) => !isOpen(one)))
    test(`cannot use ${one.id}, or only as anybody can`, alike(one, 0), async () => {
      const restricted = await tokenOf({});
      const staging = staged(one);
      const parts = request(staging, await fresh(staging));
      const answer = await send(staging, restricted, parts);
      if (one.operation.access.auth === "required")
        return expect(codeOf(answer)).toEqual([403, "token_scope"]);
      // What is recorded for nobody is recorded once.
      const { status, text } = await send(staging, null, parts);
      const shown = isWrite(one.operation) ? null : text.replaceAll(/"requestId":"[^"]*"/g, "");
      expect(answer.status).toBe(status);
      if (shown !== null) expect(answer.text.replaceAll(/"requestId":"[^"]*"/g, "")).toBe(shown);
    });

  for (const one of operations.filter(isOpen))
    test(`that covers what it is about uses ${one.id} as any token`, alike(one, 1), async () => {
      const staging = staged(one);
      const restricted = await tokenOf({});
      const parts = request(staging, await fresh(staging));
      const answer = await send(staging, restricted, parts);
      expect(Object.keys(staging.operation.results).map(Number)).toContain(answer.status);
    });

  test.each(operations.filter((one) => isOpen(one) && hasTarget(one.operation)))(
    "that does not cover what it is about gets nothing private by $id",
    async (one) => {
      const staging = staged(one);
      const restricted = await tokenOf({ prompts: ["other", "others-*"] });
      const kinds = castings(staging.operation)[0] ?? [];
      const hidden = request(staging, await make(staging, kinds, "private"));
      expect(codeOf(await send(staging, restricted, hidden))).toEqual([403, "token_scope"]);
      const shown = request(staging, await fresh(staging));
      const answer = await send(staging, restricted, shown);
      const anonymous = await send(staging, null, shown);
      if (isWrite(staging.operation) || anonymous.status >= 400)
        expect(codeOf(answer)).toEqual([403, "token_scope"]);
      else expect([answer.status, answer.text]).toEqual([anonymous.status, anonymous.text]);
    },
  );

  test.each(operations.filter(({ operation }) => operation.access.restricted?.creates))(
    "that may not add anything cannot use $id",
    async (one) => {
      const staging = staged(one);
      const restricted = await tokenOf({ creates: false });
      const parts = request(staging, await fresh(staging));
      expect(codeOf(await send(staging, restricted, parts))).toEqual([403, "token_scope"]);
    },
  );
});

describe("a token for CI", () => {
  test("moves the labels that it is for, of the prompts that it is for, and nothing else", async () => {
    const outsiders = ["cix", "elsewhere", "elsewhere-too-far"];
    for (const slug of ["ci-one", ...outsiders]) await publish(alice, slug, { versions: 2 });
    const ci = await tokenOf({ prompts: ["ci-*", "elsewhere-too"], labels: ["staging"], creates: false });
    const move = (slug: string, label: string) =>
      ci.request(`PUT /prompts/alice/${slug}/labels/${label}`, { body: { versionNumber: 1 } });
    expect((await move("ci-one", "staging")).status).toBe(201);
    const refused = await move("ci-one", "production");
    expect(codeOf(refused)).toEqual([403, "token_scope"]);
    expect(refused.json.error.message).toContain("only: staging");
    const none = await tokenOf({ prompts: ["ci-*"], labels: [] });
    const body = { versionNumber: 1 };
    const unmoved = await none.request("PUT /prompts/alice/ci-one/labels/staging", { body });
    expect([unmoved.status, unmoved.json.error.message]).toEqual([
      403,
      expect.stringMatching(/only: none\.$/),
    ]);
    await moveLabel(alice, "ci-one", "production");
    expect(codeOf(await ci.request("DELETE /prompts/alice/ci-one/labels/production"))).toEqual([
      403,
      "token_scope",
    ]);
    expect((await ci.request("DELETE /prompts/alice/ci-one/labels/staging")).status).toBe(204);
    for (const slug of outsiders) {
      const outside = await move(slug, "staging");
      expect(codeOf(outside)).toEqual([403, "token_scope"]);
      expect(outside.json.error.message).toContain("alice/ci-*, alice/elsewhere-too");
    }
    // What it cannot see is hidden from it as from its account.
    expect(codeOf(await move("nowhere", "staging"))).toEqual([404, "not_found"]);
  });

  test("adds prompts and versions with the slugs and labels that it is for", async () => {
    const ci = await tokenOf({ prompts: ["made-*"], labels: ["staging"] });
    const create = (body: object) =>
      ci.request("POST /prompts", { body: { kind: "text", title: "Any", files: filesOf("Hello"), ...body } });
    expect((await create({ slug: "made-one", labels: ["staging"] })).status).toBe(201);
    expect(codeOf(await create({ slug: "unmade" }))).toEqual([403, "token_scope"]);
    expect(codeOf(await create({ title: "Not made" }))).toEqual([403, "token_scope"]);
    expect(codeOf(await create({ slug: "made-two", labels: ["production"] }))).toEqual([403, "token_scope"]);
    const commit = (labels: string[]) =>
      ci.request("POST /prompts/alice/made-one/versions", {
        body: { files: filesOf(labels.join()), labels },
      });
    const rename = (slug: string) => ci.request("PATCH /prompts/alice/made-one", { body: { slug } });
    expect(codeOf(await rename("unmade"))).toEqual([403, "token_scope"]);
    expect((await rename("made-one")).status).toBe(200);
    expect((await commit(["staging"])).status).toBe(201);
    expect(codeOf(await commit(["staging", "production"]))).toEqual([403, "token_scope"]);
  });

  test("lists of its account's prompts those that it is for", async () => {
    const ci = await tokenOf({ prompts: ["listed1", "listing-*"] });
    for (const slug of ["listed1", "listed-1", "listed12", "listing-a"])
      await publish(alice, slug, { visibility: "private", labels: ["live"] });
    for (const query of [
      "",
      "&view=version&label=live",
      "&view=changes&label=live",
      "&sort=title",
      "&q=listed",
    ]) {
      const { json } = await ci.request(`GET /prompts?owner=me${query}`);
      const refs = (json.items as { ref: string }[]).map(({ ref }) => ref);
      expect([query, refs.sort()]).toEqual([
        query,
        query === "&q=listed" ? [] : ["alice/listed1", "alice/listing-a"],
      ]);
    }
  });

  test("is not told the present address of a private prompt that it is not for", async () => {
    await publish(alice, "secret-before", { visibility: "private" });
    await alice.request("PATCH /prompts/alice/secret-before", { body: { slug: "secret-after" } });
    const read = (who: Person) => who.request("GET /prompts/alice/secret-before");
    expect((await read(alice)).status).toBe(301);
    const ci = await read(await tokenOf({ prompts: ["ci-*"] }));
    expect([codeOf(ci), ci.headers.get("location")]).toEqual([[403, "token_scope"], null]);
    expect(ci.text).not.toContain("secret-after");
  });

  test("is not told what private prompt a fork, or a change request, is made from", async () => {
    await publishFiles(alice, "beside-source", { "PROMPT.md": "One" });
    const { fork, n } = await proposeFiles(
      alice,
      "alice/beside-source",
      { "PROMPT.md": "Two" },
      { slug: "beside-fork" },
    );
    const sourceOf = ({ forkedFrom, source = forkedFrom }: any) => source?.ref ?? null;
    const seenBy = (who: Person, routes: string[]) =>
      Promise.all(
        routes.map(async (route) => {
          const answer = await done(who, route);
          return sourceOf(answer.items?.[0] ?? answer);
        }),
      );
    const tagOf = async (who: Person, route = "") => (await who.request(route)).headers.get("etag");
    const turn = (ref: string, visibility: string) => done(alice, `PATCH /prompts/${ref}`, { visibility });

    await turn("alice/beside-source", "private");
    const aboutFork = [`GET /prompts/${fork}`, "GET /prompts?owner=me&forkOf=alice/beside-source"];
    const ofFork = await tokenOf({ prompts: ["beside-fork"] });
    expect(await seenBy(alice, aboutFork)).toEqual(["alice/beside-source", "alice/beside-source"]);
    expect(await seenBy(ofFork, aboutFork)).toEqual([null, null]);
    expect(await itemsOf(alice, aboutFork[1] ?? "")).toHaveLength(1);
    expect(await itemsOf(ofFork, aboutFork[1] ?? "")).toHaveLength(0);
    expect(await tagOf(ofFork, aboutFork[0])).not.toBe(await tagOf(alice, aboutFork[0]));

    await turn("alice/beside-source", "public");
    await turn(fork, "private");
    const requests = "/prompts/alice/beside-source/change-requests";
    const aboutRequest = [`GET ${requests}/${n}`, `GET ${requests}`];
    const ofSource = await tokenOf({ prompts: ["beside-source"] });
    expect(await seenBy(alice, aboutRequest)).toEqual([fork, fork]);
    expect(await seenBy(ofSource, aboutRequest)).toEqual([null, null]);
    expect(await tagOf(ofSource, aboutRequest[0])).not.toBe(await tagOf(alice, aboutRequest[0]));
    await turn(fork, "public");
    expect(await seenBy(ofSource, aboutRequest)).toEqual([fork, fork]);
  });

  test("is told what it is for", async () => {
    const restriction = { prompts: ["a-*"], labels: ["staging"], creates: false };
    const ci = await tokenOf(restriction);
    expect((await ci.request("GET /me")).json.token).toMatchObject({ restriction });
    expect((await alice.request("GET /me")).json.token).toMatchObject({ restriction: null });
  });
});
