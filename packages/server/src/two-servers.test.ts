import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../test/harness.ts";
import { filesOf, moveLabel, publish } from "../test/prompts.ts";
import { exchange } from "../test/requests.ts";

let database: TestDatabase;
let here: TestServer;
let there: TestServer;
let alice: Person;

beforeAll(async () => {
  database = await createDatabase();
  here = await startTestServer({ database });
  there = await startTestServer({ database });
  alice = await here.join("alice");
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await database.drop();
});

let made = 0;

/** A public prompt with two versions, and `production` at the first. */
async function makeShared(): Promise<string> {
  const slug = `shared-${++made}`;
  const at = `/prompts/alice/${slug}`;
  await publish(alice, slug, { versions: 2, files: filesOf("One") });
  await moveLabel(alice, slug, "production");
  return at;
}

/** Asks the other server, without waiting. */
const askThere = (path: string, who?: Person) => exchange(there.url, `GET ${path}`, { token: who?.token });
const askBoth = async (path: string) => [
  (await exchange(here.url, `GET ${path}`)).status,
  (await askThere(path)).status,
];

describe("two servers on one database agree at once", () => {
  test("that a token was revoked", async () => {
    const bob = await here.join("bob");
    expect((await askThere("/me", bob)).status).toBe(200);
    await here.sql`update tokens set revoked_at = clock() where user_id = ${bob.id}`;
    expect((await askThere("/me", bob)).status).toBe(401);
  });

  test("that an account is suspended", async () => {
    const carol = await here.join("carol");
    await here.sql`update users set suspended_at = clock() where id = ${carol.id}`;
    const answer = await exchange(there.url, "POST /webhooks", {
      token: carol.token,
      body: { url: "https://a.b" },
    });
    expect(answer.json.error.code).toBe("account_suspended");
  });

  test("that a prompt turned private, for every read of it", async () => {
    const at = await makeShared();
    const paths = [
      at,
      `${at}/versions/1`,
      `${at}/raw`,
      `${at}?label=production`,
      `${at}/labels`,
      `${at}/versions`,
    ];
    for (const path of paths) expect([path, ...(await askBoth(path))]).toEqual([path, 200, 200]);
    await alice.request(`PATCH ${at}`, { body: { visibility: "private" } });
    for (const path of paths) expect([path, ...(await askBoth(path))]).toEqual([path, 404, 404]);
    expect((await askThere(at, alice)).status).toBe(200);
  });

  test("that a prompt was deleted", async () => {
    const at = await makeShared();
    expect(await askBoth(`${at}/versions/1`)).toEqual([200, 200]);
    await alice.request(`DELETE ${at}`);
    expect(await askBoth(`${at}/versions/1`)).toEqual([410, 410]);
  });

  test("about the version of a label", async () => {
    const at = await makeShared();
    const numberThere = async () =>
      (await askThere(`${at}?label=production&view=version`)).json.version.n as number;
    expect(await numberThere()).toBe(1);
    const { headers } = await askThere(`${at}?label=production&view=version`);
    await alice.request(`PUT ${at}/labels/production`, { body: { versionNumber: 2 } });
    expect(await numberThere()).toBe(2);
    const asked = await exchange(there.url, `GET ${at}?label=production&view=version`, {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect(asked.status).toBe(200);
  });

  test("about the latest version, after a yank", async () => {
    const at = await makeShared();
    await alice.request(`POST ${at}/versions/2/yank`);
    expect((await askThere(`${at}?view=version`)).json.version.n).toBe(1);
    expect((await askThere(`${at}/versions`)).json.items.map(({ n }: { n: number }) => n)).toEqual([1]);
  });

  test("about the new address of a prompt", async () => {
    const at = await makeShared();
    await alice.request(`PATCH ${at}`, { body: { slug: `renamed-${made}` } });
    const moved = await askThere(at);
    expect([moved.status, moved.headers.get("location")]).toEqual([
      301,
      `${there.url}/api/v1/prompts/alice/renamed-${made}`,
    ]);
  });
});
