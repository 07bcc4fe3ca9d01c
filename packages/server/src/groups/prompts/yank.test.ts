import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, moveLabel, publish, commit as commitTo } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let moderator: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  moderator = await server.join("moderator", { role: "moderator" });
});
afterAll(() => server.stop());

const commit = (slug: string, text: string) => commitTo(alice, slug, text);

/** Makes a prompt of alice's with some versions, and gives its id. */
const create = async (slug: string, fields: object = {}): Promise<string> =>
  (await publish(alice, slug, { versions: 2, files: filesOf("text 1"), ...fields })).id;
interface Asking {
  who?: Person;
  body?: object;
  headers?: Record<string, string>;
}
const yank = (slug: string, n: number, { who = alice, ...options }: Asking = {}) =>
  who.request(`POST /prompts/alice/${slug}/versions/${n}/yank`, options);
const unyank = (slug: string, n: number, { who = alice, ...options }: Asking = {}) =>
  who.request(`DELETE /prompts/alice/${slug}/versions/${n}/yank`, options);
const label = (slug: string, name: string, versionNumber: number) =>
  moveLabel(alice, slug, name, versionNumber);
const get = async (slug: string, query = "") =>
  (await server.anonymous(`GET /prompts/alice/${slug}${query}`)).json;
const rowOf = async (id: string) =>
  (
    await server.sql`select revision, last_version, latest_version, updated_at from prompts where id = ${id}`
  )[0];
const auditOf = (id: string) =>
  server.sql`select actor_id, action, data from audit_log where target = ${id} and action <> 'label.move' order by id`;

/** Always true: the latest version is the highest usable one, or none, and no label points to a yanked one. */
async function expectSound(id: string) {
  const [found] = await server.sql`
    select p.latest_version is not distinct from (select max(n) from versions where prompt_id = p.id and yanked_at is null) as "isLatest",
      (select count(*)::int from labels l join versions v on v.prompt_id = l.prompt_id and v.n = l.version_n
        where l.prompt_id = p.id and v.yanked_at is not null) as astray
    from prompts p where p.id = ${id}`;
  expect(found).toEqual({ isLatest: true, astray: 0 });
}

describe("a version that its owner yanks", () => {
  test("is no longer the latest, and still served to those who pinned it", async () => {
    const id = await create("recalled", { versions: 3 });
    const answer = await yank("recalled", 3, { body: { reason: "Too rude" } });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      n: 3,
      labels: [],
      yanked: { at: expect.any(String), reason: "Too rude", by: { id: alice.id, handle: "alice" } },
    });
    expect(answer.json).not.toHaveProperty("files");
    expect(await get("recalled")).toMatchObject({ latestVersion: 2, version: { n: 2 } });
    expect(await get("recalled", "?version=3&view=version")).toMatchObject({
      yanked: true,
      version: { n: 3 },
    });
    expect((await server.anonymous("GET /prompts/alice/recalled/raw?version=3")).text).toBe("text 3");
    expect(codeOf(await label("recalled", "production", 3))).toEqual([409, "version_yanked"]);
    await expectSound(id);
  });

  test("does not change the latest if it is an older one", async () => {
    await create("older", { versions: 3 });
    await yank("older", 1);
    expect((await get("older")).latestVersion).toBe(3);
  });

  test("can be the last usable one: then the prompt has no latest version", async () => {
    const id = await create("bare", { versions: 1 });
    expect((await yank("bare", 1)).status).toBe(200);
    expect(await get("bare")).toMatchObject({ latestVersion: null, version: null, status: "published" });
    expect(codeOf(await server.anonymous("GET /prompts/alice/bare/raw"))).toEqual([404, "not_found"]);
    expect(await rowOf(id)).toMatchObject({ last_version: 1 });
    expect((await commit("bare", "text 1")).json.n).toBe(2);
  });

  test("raises the prompt's revision and its time, writes an audit row, and emits no event", async () => {
    const id = await create("marked");
    const before = await rowOf(id);
    await server.sql`update prompts set updated_at = updated_at - interval '1 hour' where id = ${id}`;
    await yank("marked", 1, { body: { reason: "Wrong" } });
    const after = await rowOf(id);
    expect(after?.["revision"] > before?.["revision"]).toBe(true);
    expect(after?.["updated_at"] >= before?.["updated_at"]).toBe(true);
    expect(await auditOf(id)).toEqual([
      { actor_id: alice.id, action: "version.yank", data: { n: 1, reason: "Wrong" } },
    ]);
    expect((await server.sql`select from events where prompt_id = ${id}`).count).toBe(2);
  });

  test("is refused while labels point to it, and the error names them", async () => {
    const id = await create("labelled");
    await label("labelled", "staging", 2);
    await label("labelled", "production", 2);
    const before = await rowOf(id);
    const answer = await yank("labelled", 2);
    expect(codeOf(answer)).toEqual([409, "version_labelled"]);
    expect(answer.json.error.message).toContain("production, staging");
    expect(await rowOf(id)).toEqual(before);
    for (const name of ["staging", "production"]) await label("labelled", name, 1);
    expect((await yank("labelled", 2)).status).toBe(200);
  });

  test("yanked again does not change, and keeps its reason", async () => {
    const id = await create("twice");
    const first = await yank("twice", 1, { body: { reason: "The reason" } });
    const before = await rowOf(id);
    const second = await yank("twice", 1, { body: { reason: "Another" } });
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(await rowOf(id)).toEqual(before);
    expect((await auditOf(id)).length).toBe(1);
  });

  test("is usable again after an unyank, and the latest if it is the highest", async () => {
    const id = await create("back");
    await yank("back", 2);
    const answer = await unyank("back", 2);
    expect([answer.status, answer.json.n, answer.json.yanked]).toEqual([200, 2, null]);
    expect((await get("back")).latestVersion).toBe(2);
    expect((await label("back", "production", 2)).status).toBe(201);
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(["version.yank", "version.unyank"]);
    const before = await rowOf(id);
    expect((await unyank("back", 2)).status).toBe(200);
    expect(await rowOf(id)).toEqual(before);
  });

  test("that does not exist answers 404, also for a draft prompt", async () => {
    await create("few");
    await create("draft", { publish: false, versions: 1 });
    for (const answer of [await yank("few", 3), await unyank("few", 3)]) {
      expect([answer.status, answer.json.error.message]).toEqual([404, "alice/few has no version 3."]);
    }
    for (const answer of [await yank("draft", 1), await unyank("draft", 1)]) expect(answer.status).toBe(404);
  });

  beforeAll(() => create("strict"));
  test.for([{ reason: "x".repeat(501) }, { reason: "\ud800" }, { because: "x" }])(
    "refuses the body %j",
    async (body) => {
      expect(codeOf(await yank("strict", 1, { body }))).toEqual([422, "validation_failed"]);
      expect(await get("strict", "?version=1&view=version")).toMatchObject({ yanked: false });
    },
  );
});

test("others can neither yank nor unyank, and get 404 for private prompts", async () => {
  await create("mine");
  await create("hidden", { visibility: "private" });
  for (const change of [yank, unyank]) {
    expect(codeOf(await change("mine", 1, { who: bob }))).toEqual([403, "forbidden"]);
    expect(codeOf(await change("hidden", 1, { who: moderator }))).toEqual([404, "not_found"]);
  }
  const asUser = await server.join("moderator", { role: "moderator" });
  await server.sql`update tokens set role = 'user' where user_id = ${asUser.id} and id = (
    select max(id) from tokens where user_id = ${asUser.id})`;
  expect(codeOf(await yank("mine", 1, { who: asUser }))).toEqual([403, "forbidden"]);
});

describe("a version that a moderator yanks", () => {
  test("loses its labels, with the reason in their history and an audit row for each", async () => {
    const id = await create("removed", { versions: 3 });
    await label("removed", "staging", 2);
    await label("removed", "production", 2);
    await label("removed", "canary", 3);
    const answer = await yank("removed", 2, { who: moderator, body: { reason: "A secret in it" } });
    expect(answer.json).toMatchObject({
      labels: [],
      yanked: { reason: "A secret in it", by: { handle: "moderator" } },
    });
    expect((await get("removed")).labels).toEqual({ canary: 3 });
    const { json } = await server.anonymous("GET /prompts/alice/removed/labels/production/history");
    expect(json.items[0]).toMatchObject({
      fromVersionNumber: 2,
      toVersionNumber: null,
      reason: "Version 2 was yanked.",
      actor: { handle: "moderator" },
    });
    expect(await auditOf(id)).toEqual([
      { actor_id: moderator.id, action: "label.delete", data: { name: "production", from: 2 } },
      { actor_id: moderator.id, action: "label.delete", data: { name: "staging", from: 2 } },
      { actor_id: moderator.id, action: "version.yank", data: { n: 2, reason: "A secret in it" } },
    ]);
    expect(
      (await server.sql`select from events where prompt_id = ${id} and name = 'prompt.label.moved'`).count,
    ).toBe(3);
    await expectSound(id);
  });

  test("can be unyanked only by a moderator", async () => {
    await create("moderated");
    await yank("moderated", 1, { who: moderator });
    const refused = await unyank("moderated", 1);
    expect(codeOf(refused)).toEqual([403, "forbidden"]);
    expect(refused.json.error.message).toContain("only whoever yanked it");
    const admin = await server.join("admin", { role: "admin" });
    expect((await unyank("moderated", 1, { who: admin })).json.yanked).toBeNull();
  });

  test("stays a moderator's yank, also if the owner yanks it before or after", async () => {
    await create("taken-over");
    await yank("taken-over", 1, { body: { reason: "Mine" } });
    const taken = await yank("taken-over", 1, { who: moderator, body: { reason: "Theirs" } });
    expect(taken.json.yanked).toMatchObject({ reason: "Theirs", by: { handle: "moderator" } });
    expect((await yank("taken-over", 1)).text).toBe(taken.text);
    expect(codeOf(await unyank("taken-over", 1))).toEqual([403, "forbidden"]);
  });

  test("cannot be unyanked by a moderator if the owner yanked it", async () => {
    await create("own");
    await yank("own", 1);
    expect(codeOf(await unyank("own", 1, { who: moderator }))).toEqual([403, "forbidden"]);
    expect((await unyank("own", 1)).status).toBe(200);
  });

  test("cannot be unyanked by the owner, even if the owner is a moderator", async () => {
    const other = await server.join("other-moderator", { role: "moderator" });
    await publish(moderator, "theirs");
    const route = "/prompts/moderator/theirs/versions/1/yank";
    await moveLabel(moderator, "theirs", "production");
    expect(codeOf(await moderator.request(`POST ${route}`))).toEqual([409, "version_labelled"]);
    expect((await other.request(`POST ${route}`)).status).toBe(200);
    expect(codeOf(await moderator.request(`DELETE ${route}`))).toEqual([403, "forbidden"]);
    expect((await other.request(`DELETE ${route}`)).status).toBe(200);
  });
});

test("If-Match allows an unyank only if the prompt has not changed", async () => {
  await create("matched");
  await yank("matched", 1);
  const etag = (await alice.request("GET /prompts/alice/matched")).headers.get("etag") ?? "";
  await label("matched", "production", 2);
  expect(codeOf(await unyank("matched", 1, { headers: { "if-match": etag } }))).toEqual([
    412,
    "precondition_failed",
  ]);
});

describe("at the same time", () => {
  test("a yank and a label on one version: the second one is refused", async () => {
    const id = await create("either", { versions: 12 });
    for (let n = 1; n <= 12; n++) {
      const order = [() => yank("either", n), () => label("either", `l${n}`, n)];
      const answers = await Promise.all((n % 2 ? order : order.reverse()).map((ask) => ask()));
      const codes = answers.map(({ status, json }) => json.error?.code ?? status);
      expect([
        ["version_labelled", 201],
        [200, "version_yanked"],
      ]).toContainEqual(n % 2 ? codes : codes.reverse());
    }
    await expectSound(id);
  });

  test("a moderator's yank and a label: the version is yanked, and has no label", async () => {
    const id = await create("overruled", { versions: 8 });
    for (let n = 1; n < 8; n++) {
      const [yanked, labelled] = await Promise.all([
        yank("overruled", n, { who: moderator }),
        label("overruled", "production", n),
      ]);
      expect(yanked.status).toBe(200);
      expect([200, 201, 409]).toContain(labelled.status);
      await expectSound(id);
    }
  });

  test("two yanks are one", async () => {
    const id = await create("once");
    const before = await rowOf(id);
    const answers = await Promise.all(["A", "B"].map((reason) => yank("once", 2, { body: { reason } })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(BigInt((await rowOf(id))?.["revision"]) - BigInt(before?.["revision"])).toBe(1n);
    expect((await auditOf(id)).length).toBe(1);
  });

  test("the owner's yank and a moderator's: the moderator's stays", async () => {
    await create("both", { versions: 6 });
    for (let n = 1; n <= 5; n++) {
      await Promise.all([yank("both", n), yank("both", n, { who: moderator })]);
      expect(codeOf(await unyank("both", n))).toEqual([403, "forbidden"]);
    }
  });

  test("the owner's unyank and a moderator's yank: the version stays yanked, or was usable in between", async () => {
    const id = await create("contested");
    await yank("contested", 2);
    const lock = (sql: TestServer["sql"]) => sql`select from prompts where id = ${id} for update`;
    const [, unyanked] = await server.atOnce(lock, [
      () => yank("contested", 2, { who: moderator }),
      () => unyank("contested", 2),
    ]);
    expect([200, 403]).toContain(unyanked?.status);
    const [version] = await server.sql`
      select yanked_as_moderator as "byModerator" from versions where prompt_id = ${id} and n = 2 and yanked_at is not null`;
    expect(version).toEqual({ byModerator: true });
    expect(codeOf(await unyank("contested", 2))).toEqual([403, "forbidden"]);
  });

  test("a commit and a yank of the latest: the new one is the latest", async () => {
    const id = await create("replaced", { versions: 1 });
    for (let n = 1; n <= 8; n++) {
      const [committed, yanked] = await Promise.all([
        commit("replaced", `text ${n + 1}`),
        yank("replaced", n),
      ]);
      expect([committed.status, committed.json.n, yanked.status]).toEqual([201, n + 1, 200]);
      expect(await rowOf(id)).toMatchObject({ latest_version: n + 1 });
    }
  });

  test("in any mix, the latest is the highest usable version and no label points to a yanked one", {
    tags: "long",
  }, async () => {
    const id = await create("storm", { versions: 4 });
    const changes = Array.from({ length: 48 }, (_, i) => {
      const n = (i % 4) + 1;
      const kinds = [
        () => yank("storm", n),
        () => label("storm", `l${i % 3}`, n),
        () => unyank("storm", n),
        () => yank("storm", n, { who: moderator }),
        () => unyank("storm", n, { who: moderator }),
        () => commit("storm", `storm ${i}`),
        () => alice.request(`POST /prompts/alice/storm/versions/${n}/restore`),
      ];
      return kinds[(i * 5) % kinds.length];
    });
    const answers = await Promise.all(changes.map(async (change) => change?.()));
    expect(
      answers.map((answer) => answer?.status).filter((status) => ![200, 201, 403, 409].includes(status ?? 0)),
    ).toEqual([]);
    await expectSound(id);
  });
});
