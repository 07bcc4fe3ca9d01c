import { contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alike, fresh, isWrite, request, send } from "../test/contract/requests.ts";
import { command, interact } from "../test/discord.ts";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { png, upload } from "../test/media.ts";
import { publish } from "../test/prompts.ts";
import { codeOf } from "../test/requests.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

let server: TestServer;
let stage: TestStage;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({ isForMembers: true });
  await liftLimits(server);
  alice = await server.join("alice", { role: "moderator" });
  stage = new TestStage({ server, owner: alice, viewer: await server.join("viewer") });
  await publish(alice, "greeting");
});
afterAll(() => server.stop());

const operations = listOperations(contract);

describe("a registry for members", () => {
  for (const one of operations)
    test(
      `${one.id} shows nothing without a token, and no shared cache may keep what it shows`,
      alike(one, 2),
      async () => {
        const staging = { ...one, stage };
        const parts = request(staging, await fresh(staging));
        const without = await send(staging, null, parts);
        if (one.operation.access.isProven) expect(codeOf(without)).not.toEqual([401, "unauthenticated"]);
        else expect(codeOf(without)).toEqual([401, "unauthenticated"]);
        const answer = await send(staging, alice, parts);
        expect(Object.keys(one.operation.results).map(Number)).toContain(answer.status);
        for (const { headers } of [without, answer])
          expect(headers.get("cache-control")).not.toContain("public");
        if (!isWrite(one.operation))
          expect(answer.headers.get("cache-control")).toMatch(/^(private|no-store)/);
      },
    );

  test("lists to a restricted token its own prompts, and nothing else", async () => {
    const ci = await server.join("alice", {
      restriction: { prompts: ["ci-*"], labels: null, creates: false },
    });
    await publish(alice, "ci-one", { labels: ["live"] });
    await publish(alice, "open", { labels: ["live"] });
    for (const view of ["", "&view=version&label=live", "&view=changes&label=live"]) {
      const own = await ci.request(`GET /prompts?owner=me${view}`);
      expect([view, own.text.includes("alice/ci-one"), own.text.includes("alice/open")]).toEqual([
        view,
        true,
        false,
      ]);
      expect([view, codeOf(await ci.request(`GET /prompts?owner=alice${view}`))]).toEqual([
        view,
        [403, "token_scope"],
      ]);
    }
    expect((await ci.request("GET /prompts")).json.error.message).toContain("owner=me");
    for (const query of ["", "?q=open", "?forkOf=alice/open"])
      expect([query, codeOf(await ci.request(`GET /prompts${query}`))]).toEqual([
        query,
        [403, "token_scope"],
      ]);
  });

  test("has no feeds, and pages that say nothing of what is in it", async () => {
    const at = async (path: string) => {
      const response = await fetch(server.url + path, { headers: { accept: "text/html, application/json" } });
      expect(response.headers.get("cache-control") ?? "").not.toContain("public");
      return { status: response.status, text: await response.text() };
    };
    for (const path of ["/feeds/posts.atom", "/feeds/prompts/alice/greeting.json"])
      expect([path, (await at(path)).status]).toEqual([path, 401]);
    for (const path of ["/", "/reference", "/docs/webhooks", "/api/v1/openapi.json", "/healthz", "/readyz"]) {
      const { status, text } = await at(path);
      expect([path, status, text.includes("greeting-of-alice")]).toEqual([path, 200, false]);
    }
    const { paths } = JSON.parse((await at("/api/v1/openapi.json")).text);
    expect(paths["/prompts/{owner}/{slug}"].get.security).toEqual([{ token: [] }]);
    expect(paths["/discord/interactions"].post.security).toEqual([{}, { token: [] }]);
  });

  test("gives media by links that end, but for the pictures of accounts", { tags: "long" }, async () => {
    const [cover, avatar] = [
      await upload(server, alice, png()),
      await upload(server, alice, png({ width: 5 })),
    ];
    const make = {
      title: "Shown",
      body: `![A picture](media:${cover})`,
      publish: true,
      visibility: "public",
    };
    const { json: made } = await alice.request("POST /makes", { body: make });
    await alice.request(`POST /makes/${made.slug}/media`, { body: { mediaId: cover } });
    const post = { title: "Shown", body: `![A picture](media:${cover})` };
    const { json: draft } = await alice.request("POST /posts", { body: post });
    await server.sql`update users set trusted_author = true where id = ${alice.id}`;
    await alice.request(`POST /posts/${draft.id}/submit`);
    const { json: shown } = await alice.request(`GET /makes/${made.slug}`);
    const { json: article } = await alice.request(`GET /posts/${draft.id}`);
    expect(article.status).toBe("published");
    const addresses = [
      shown.media[0].media.url,
      /src="([^"]*)"/.exec(article.html)?.[1]?.replaceAll("&amp;", "&"),
    ];
    for (const address of addresses) {
      expect(address).toContain("signature=");
      const response = await fetch(address);
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
      expect((await fetch(address.replace(/\?.*/, ""))).status).toBe(404);
    }
    const { json: me } = await alice.request("PATCH /me", { body: { avatarMediaId: avatar } });
    const picture = await fetch(me.avatarUrl);
    expect([picture.status, picture.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
    expect((await fetch(me.avatarUrl.replace("/thumbnail", ""))).status).toBe(404);
    expect((await fetch(me.avatarUrl.replace(avatar, cover))).status).toBe(404);
  });

  test("shows nothing in Discord, and still links accounts there", async () => {
    const said = async (interaction: object) => (await interact(server, interaction)).json.data;
    for (const asked of [
      command("prompt", { ref: "alice/greeting" }),
      command("search", { q: "greeting" }),
    ]) {
      const { content, flags } = await said(asked);
      expect(content).toContain("for its members");
      expect(flags).toBe(64);
    }
    expect((await said(command("link"))).content).toMatch(/[A-Z0-9]{8}/);
  });
});
