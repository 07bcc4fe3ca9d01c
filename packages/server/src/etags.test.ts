import { contract, listOperations, type OperationId } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { tell } from "../test/notified.ts";
import { createRateLimiter } from "./kernel/rate-limit.ts";

let server: TestServer;
let owner: Person;
let viewer: Person;
/** How many requests were taken back. */
let free = 0;

beforeAll(async () => {
  server = await startTestServer();
  const { context } = server;
  const most = { per: "token", quota: 1_000_000, windowSeconds: 60 } as const;
  const limits = {
    ip: most,
    anon: most,
    read: most,
    write: most,
    evals: most,
    search: most,
    ping: most,
    auth: most,
  };
  const limiter = createRateLimiter({ ...context, limits });
  await limiter.start();
  limiter.stop();
  context.limiter = {
    ...limiter,
    giveBack(charges) {
      free += 1;
      return limiter.giveBack(charges);
    },
  };
});
afterAll(() => server.stop());

type Act = () => PromiseLike<unknown>;

/** An answer that is read again and again. */
interface Scene {
  /** Where it is read; renaming changes it. */
  path: () => string;
  who?: Person;
  /** What changes the answer, by turns. */
  changes: Record<string, Act>;
  /** What leaves it as it is, but for counts. */
  keeps?: Record<string, Act>;
}

let handles = 0;
let slug = "";

const files = (said: string) => [{ path: "PROMPT.md", content: said }];
const at = () => `/prompts/${owner.handle}/${slug}`;
const send =
  (route: string, body?: object, who = () => owner) =>
  async () => {
    const [method, path = ""] = route.split(" ");
    const { status, text, json } = await who().request(`${method} ${path.replace("{at}", at())}`, { body });
    expect([route, status < 300, text]).toEqual([route, true, text]);
    return json;
  };
const patch = (body: object) => send("PATCH {at}", body);
const commit = (said: string, labels: string[] = []) =>
  send("POST {at}/versions", { files: files(said), labels });
const label = (name: string, versionNumber: number, reason?: string) => () =>
  send(`PUT {at}/labels/${name}`, { versionNumber, reason })();
const callOneself = (name: string) => send("PATCH /me", { name });
const watch = (level: string) => () => send("PUT {at}/watch", { level }, () => viewer)();
const unwatch = () => send("DELETE {at}/watch", undefined, () => viewer)();
const rename = async () => {
  slug = `${slug}-x`;
  await owner.request(`PATCH /prompts/${owner.handle}/${slug.slice(0, -2)}`, { body: { slug } });
};
/** As the operator's command does it. */
const changeHandle = async () => {
  const handle = `${owner.handle}-x`;
  await server.sql`update users set handle = ${handle}, revision = revision + 1 where id = ${owner.id}`;
  owner = { ...owner, handle };
};
const loseRole = () => server.sql`update users set role = 'user' where id = ${viewer.id}`;
const othersWatch = async () => {
  const { id } = await server.join(`watcher-${++handles}`);
  await server.sql`
    insert into watches (prompt_id, user_id, level) select id, ${id}, 'all' from prompts where slug = ${slug}`;
};
const ofVersion = {
  "its words": patch({ title: "Other" }),
  "its owner's name": callOneself("Ada"),
  watch: watch("all"),
};

/** One for each read that has a tag. Each begins with a prompt at version 2, whose label production is at 1. */
const scenes: Partial<Record<OperationId, () => Promise<Scene>>> = {
  "prompts.list": async () => ({
    path: () => `/prompts?owner=${owner.handle}`,
    changes: {
      "a title": patch({ title: "Other" }),
      "a label": label("staging", 1),
      "the owner's name": callOneself("Ada"),
      "the viewer's watch": watch("all"),
      "a prompt that left": patch({ visibility: "private" }),
    },
  }),
  "prompts.get": async () => ({
    path: at,
    changes: {
      "the viewer's watch": watch("releases"),
      "its level": watch("all"),
      "its end": unwatch,
      "its being ignored": watch("ignore"),
      "what it says of itself": patch({ tags: ["new"] }),
      "a version": commit("three"),
      "a label that moved": label("production", 2),
      "a label that left": send("DELETE {at}/labels/production"),
      "a version that was yanked": send("POST {at}/versions/3/yank", {}),
      "the same taken back": send("DELETE {at}/versions/3/yank"),
      "its owner's name": callOneself("Ada"),
      "its address": rename,
      "its owner's handle": changeHandle,
      "what the viewer may do": loseRole,
      "where the server is reached": async () => {
        server.context.publicUrl = "https://prompts.example";
      },
    },
    keeps: { "a count": othersWatch },
  }),
  "prompts.diff": async () => ({
    path: () => `${at()}/diff/production..latest`,
    changes: { "where a label is": label("production", 2), "what is the latest": commit("three") },
    keeps: ofVersion,
  }),
  "prompts.draft.get": async () => ({
    path: () => `${at()}/draft`,
    who: owner,
    changes: {
      "a draft": send("PUT {at}/draft", { files: files("draft") }),
      another: send("PUT {at}/draft", { files: files("draft"), message: "For later" }),
      "its end": send("DELETE {at}/draft"),
      "one more": send("PUT {at}/draft", { files: files("three") }),
      "its commit": send("POST {at}/versions", {}),
    },
    keeps: ofVersion,
  }),
  "prompts.versions.list": async () => ({
    path: () => `${at()}/versions`,
    who: owner,
    changes: {
      "a version": commit("three"),
      "a label": label("staging", 2),
      "a version that was yanked": send("POST {at}/versions/3/yank", { reason: "Bad" }),
      "the name of who did it": callOneself("Ada"),
    },
    keeps: { "the prompt's words": patch({ title: "Other" }) },
  }),
  "prompts.versions.get": async () => ({
    path: () => `${at()}/versions/2`,
    changes: {},
    keeps: {
      ...ofVersion,
      "a label": label("staging", 2),
      "a version": commit("three"),
      "a yank": send("POST {at}/versions/3/yank", {}),
      "its owner's handle": changeHandle,
    },
  }),
  "prompts.labels.list": async () => ({
    path: () => `${at()}/labels`,
    changes: {
      "a label": label("staging", 1, "To try"),
      "where it is": label("staging", 2),
      "its end": send("DELETE {at}/labels/staging"),
      "what is the latest": commit("three"),
      "the name of who moved it": callOneself("Ada"),
    },
  }),
  "prompts.labels.history": async () => ({
    path: () => `${at()}/labels/production/history`,
    changes: {
      "a move": label("production", 2, "Better"),
      "the end of the label": send("DELETE {at}/labels/production"),
      "the name of who moved it": callOneself("Ada"),
    },
  }),
  "prompts.raw.get": async () => ({
    path: () => `${at()}/raw?label=production`,
    changes: { "where a label is": label("production", 2) },
    keeps: ofVersion,
  }),
  "prompts.raw.getFile": async () => ({
    path: () => `${at()}/raw/PROMPT.md`,
    changes: { "what is the latest": commit("three") },
    keeps: ofVersion,
  }),
  "webhooks.list": async () => ({ ...(await webhook()), path: () => "/webhooks" }),
  "webhooks.events": async () => ({ path: () => "/webhooks/events", changes: {}, keeps: ofVersion }),
  "webhooks.get": webhook,
  "webhooks.deliveries.list": async () => {
    const { path, fail, ping, id } = await deliveries();
    return { path: () => path, who: owner, changes: { "one that failed": fail, "one more": ping(id) } };
  },
  "webhooks.deliveries.get": async () => {
    const { path, fail, deliveryId } = await deliveries();
    return { path: () => `${path}/${deliveryId}`, who: owner, changes: { "its failure": fail } };
  },
  "evals.runs.list": async () => {
    const { changes } = await run();
    return { path: () => `/evals/runs?prompt=${owner.handle}/${slug}`, changes };
  },
  "evals.runs.get": async () => {
    const { id, changes } = await run();
    return { path: () => `/evals/runs/${id}`, changes };
  },
  "evals.runs.results": async () => {
    const { id, append } = await run();
    const changes = { "a result": append("passed"), "one in its place": append("failed") };
    return { path: () => `/evals/runs/${id}/results`, who: owner, changes };
  },
  "users.get": async () => ({
    path: () => `/users/${owner.handle}`,
    changes: {
      "what they say of themselves": send("PATCH /me", { bio: "Hi" }),
      "a role": () => server.sql`update users set role = 'moderator' where id = ${owner.id}`,
      "their handle": changeHandle,
    },
  }),
  "users.me.get": async () => ({
    path: () => "/me",
    changes: {
      "what they say of themselves": send("PATCH /me", { bio: "Hi" }, () => viewer),
      "what they prefer": send("PATCH /me", { preferences: { showMature: true } }, () => viewer),
      "the role of the token": loseRole,
      "the name of the token": () => server.sql`update tokens set name = 'new' where user_id = ${viewer.id}`,
      "what quotas are used for": send("POST /webhooks", { url: "http://127.0.0.1:9/hook" }, () => viewer),
    },
  }),
  "watch.get": async () => ({
    path: () => `${at()}/watch`,
    changes: { "a watch": watch("all"), "its level": watch("ignore"), "its end": unwatch },
    keeps: { "somebody else's": othersWatch },
  }),
  "watch.list": async () => {
    await watch("all")();
    const changes = {
      "its level": watch("releases"),
      "what is watched": patch({ title: "Other" }),
      "its end": unwatch,
    };
    return { path: () => "/me/watches", changes };
  },
  "notifications.list": async () => ({
    path: () => "/notifications",
    changes: {
      "a notification": async () => {
        await label("staging", 2)();
        await tell(server, viewer);
      },
      "its being read": send("POST /notifications/read", { all: true }, () => viewer),
      "the name of who did it": callOneself("Ada"),
      "a prompt that left": patch({ visibility: "private" }),
    },
  }),
};

async function webhook(): Promise<Scene> {
  const body = { url: "http://127.0.0.1:9/hook", prompts: [`${owner.handle}/${slug}`] };
  const { id } = await send("POST /webhooks", body)();
  return {
    path: () => `/webhooks/${id}`,
    who: owner,
    changes: {
      "what it is for": send(`PATCH /webhooks/${id}`, { description: "New" }),
      "its secret": send(`PATCH /webhooks/${id}`, { rotateSecret: true }),
      "its failures": () => server.sql`update webhooks set consecutive_failures = 3 where id = ${id}`,
      "the address of its prompt": rename,
      "its end": send(`PATCH /webhooks/${id}`, { active: false }),
    },
  };
}

async function deliveries() {
  const { id } = await send("POST /webhooks", { url: "http://127.0.0.1:9/hook" })();
  const ping = (to: string) => send(`POST /webhooks/${to}/test`);
  const { id: deliveryId } = await ping(id)();
  const fail = () => server.sql`
    update deliveries set status = 'failed', attempts = 1, next_attempt_at = null, completed_at = clock()
    where id = ${deliveryId}`;
  return { id, deliveryId, path: `/webhooks/${id}/deliveries`, ping, fail };
}

async function run() {
  const body = { prompt: `${owner.handle}/${slug}`, versionNumber: 1, model: "m" };
  const { id } = await send("POST /evals/runs", body)();
  const append = (status: string) =>
    send(`POST /evals/runs/${id}/results`, { results: [{ index: 0, caseKey: "a", status }] });
  const changes = {
    "its results": append("passed"),
    "its end": send(`PATCH /evals/runs/${id}`, { status: "completed" }),
    "its being pinned": send(`PATCH /evals/runs/${id}`, { pinned: true }),
    "the name of who reported it": callOneself("Ada"),
    "the address of its prompt": rename,
  };
  return { id, append, changes };
}

/** What is answered to nobody under a tag: a count that is asked for all the time, and pages for one person. */
const untagged: OperationId[] = ["notifications.count", "notifications.unsubscribePage"];
/** Reads that know from the tag alone that there is nothing to answer. */
const decided: OperationId[] = [
  "prompts.get",
  "prompts.diff",
  "prompts.draft.get",
  "prompts.versions.get",
  "prompts.raw.get",
  "prompts.raw.getFile",
];

const reads = listOperations(contract)
  .filter(({ operation }) => operation.route.startsWith("GET "))
  .map(({ id }) => id as OperationId);

test("each read has a tag, and a scene in which its answer changes", () => {
  expect([...Object.keys(scenes), ...untagged].sort()).toEqual([...reads].sort());
});

/** Without counts, which may lag. */
const shown = (text: string) => text.replace(/"counts":\{[^}]*\}/g, "");

describe.each(Object.keys(scenes) as OperationId[])("the tag of %s", (id) => {
  let scene: Scene;

  beforeAll(async () => {
    handles += 1;
    slug = "hello";
    owner = await server.join(`owner-${handles}`);
    viewer = await server.join(`viewer-${handles}`, { role: "admin" });
    await send("POST /prompts", {
      kind: "text",
      visibility: "public",
      slug,
      title: "Hello",
      files: files("one"),
    })();
    await commit("two")();
    await label("production", 1)();
    scene = (await scenes[id]?.()) as Scene;
  });

  const ask = (etag = "") =>
    (scene.who ?? viewer).request(`GET ${scene.path()}`, { headers: { "if-none-match": etag } });
  const etagOf = async () => (await ask()).headers.get("etag") ?? "";

  test("is another one whenever something else is shown", async () => {
    for (const [what, change] of Object.entries(scene.changes)) {
      const before = await ask();
      expect([what, before.status]).toEqual([what, 200]);
      await change();
      const after = await ask(before.headers.get("etag") ?? "");
      expect([what, after.status]).toEqual([what, 200]);
      // Or nothing was tried.
      expect([what, shown(after.text)]).not.toEqual([what, shown(before.text)]);
    }
  });

  test("stays where nothing else is shown", async () => {
    for (const [what, change] of Object.entries(scene.keeps ?? {})) {
      const etag = await etagOf();
      await change();
      expect([what, (await ask(etag)).status]).toEqual([what, 304]);
    }
  });

  test("makes a 304 free where it alone decides it, which `*` never does", async () => {
    const etag = await etagOf();
    const before = free;
    expect((await ask("*")).status).toBe(304);
    expect(free - before).toBe(0);
    expect((await ask(etag)).status).toBe(304);
    expect(free - before).toBe(decided.includes(id) ? 1 : 0);
  });
});

describe("the tag of what applications poll for", () => {
  beforeAll(async () => {
    slug = "polled";
    owner = await server.join("poller");
    await send("POST /prompts", {
      kind: "text",
      visibility: "public",
      slug,
      title: "Hello",
      files: files("one"),
    })();
    await commit("two")();
    await label("production", 1)();
  });

  test("is another one after a move, a yank and under another address, and after nothing else", async () => {
    const ask = (etag = "") =>
      server.anonymous(`GET ${at()}?label=production&view=version`, { headers: { "if-none-match": etag } });
    const etagOf = async () => (await ask()).headers.get("etag") ?? "";
    for (const [what, change] of Object.entries({
      "a move": label("production", 2),
      "a yank": () => server.sql`
        update versions v set yanked_at = clock() from prompts p where p.id = v.prompt_id and p.slug = ${slug} and v.n = 2`,
      "another address": rename,
      "its owner's handle": changeHandle,
    })) {
      const etag = await etagOf();
      await change();
      expect([what, (await ask(etag)).status]).toEqual([what, 200]);
    }
    const etag = await etagOf();
    for (const keep of [
      patch({ title: "Other" }),
      label("staging", 1),
      callOneself("Ada"),
      commit("three"),
    ]) {
      await keep();
      expect((await ask(etag)).status).toBe(304);
    }
  });
});
