import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { liftLimits } from "../../../test/stage.ts";
import { addUpTags } from "../tags/tags.sql.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  await server.join("albert-camus");
  await server.join("aldous", { suspended: true });
  await publish(alice, "greeting", { title: "Friendly greeting", tags: ["welcome", "mail"] });
  await publish(alice, "cafe", { title: "Café menu", tags: ["menu"] });
  await publish(alice, "secret", { title: "Friendly secret", tags: ["welsh"], visibility: "private" });
  await publish(alice, "unlisted", { title: "Friendly unlisted", visibility: "unlisted" });
  await publish(alice, "draft", { title: "Friendly draft", publish: false });
  await publish(alice, "adult", { title: "Friendly adult", rating: "mature", tags: ["welt"] });
  await addUpTags(server.sql);
});
afterAll(() => server.stop());

async function suggested(
  q: string,
  query = "",
  who: Pick<Person, "request"> = server.nobody,
): Promise<string[]> {
  const { status, json } = await who.request(`GET /search/suggest?q=${encodeURIComponent(q)}${query}`);
  expect([status, json.nextCursor]).toEqual([200, null]);
  return json.items.map(({ type, value }: { type: string; value: string }) => `${type} ${value}`);
}

describe("a suggestion", () => {
  test.for([
    ["frien", ["prompt alice/greeting"]],
    ["FRIENDLY GR", ["prompt alice/greeting"]],
    ["gree", ["prompt alice/greeting"]],
    ["cafe m", ["prompt alice/cafe"]],
    ["café", ["prompt alice/cafe"]],
    ["alice/gr", ["prompt alice/greeting"]],
    ["alice/", ["prompt alice/cafe", "prompt alice/greeting"]],
    ["wel", ["tag welcome"]],
    ["al", ["user albert-camus", "user alice"]],
  ] as const)(
    "completes the beginning %s of a title, slug, address, tag or handle",
    async ([q, expected]) => {
      expect((await suggested(q)).slice(0, expected.length).sort()).toEqual([...expected]);
    },
  );

  test.for([
    ["greting", "prompt alice/greeting"],
    ["freindly", "prompt alice/greeting"],
    ["wellcome", "tag welcome"],
    ["allice", "user alice"],
    ["camus", "user albert-camus"],
  ] as const)("finds what %s is almost like", async ([q, expected]) => {
    expect(await suggested(q)).toContain(expected);
  });

  test("shows nothing that is not public, and no suspended account", async () => {
    for (const q of [
      "friendly secret",
      "friendly unlisted",
      "friendly draft",
      "alice/secret",
      "welsh",
      "aldous",
    ]) {
      for (const who of [server.nobody, alice]) {
        const text = (await suggested(q, "", who)).join();
        expect([q, /secret|unlisted|draft|welsh|aldous/.test(text)]).toEqual([q, false]);
      }
    }
  });

  test("leaves mature prompts out, and their tags, unless the caller's preference is to see them", async () => {
    expect(await suggested("friendly a")).not.toContain("prompt alice/adult");
    expect(await suggested("welt")).not.toContain("tag welt");
    const carol = await server.join("carol");
    await carol.request("PATCH /me", { body: { preferences: { showMature: true } } });
    expect(await suggested("friendly a", "", carol)).toContain("prompt alice/adult");
  });

  test("is of one type if asked, and of at most as many as asked", async () => {
    expect(await suggested("me", "&type=tag")).toEqual(["tag menu"]);
    expect(await suggested("al", "&limit=1")).toHaveLength(1);
    const most = await server.anonymous("GET /search/suggest?q=a&limit=11");
    expect([most.status, most.json.error.code]).toEqual([422, "validation_failed"]);
  });

  test.for(["%", "_", "\\", "'; --", "\u{10ffff}", "/", "alice/%", "a".repeat(100), "  "])(
    "takes %j as text",
    async (q) => {
      expect(Array.isArray(await suggested(q))).toBe(true);
    },
  );

  test("completes the title of a collection, if it is public", async () => {
    const create = async (title: string, visibility: string) =>
      (await alice.request("POST /collections", { body: { title, visibility } })).json.id;
    const id = await create("Narwhal prompts", "public");
    await create("Narwhal by address", "unlisted");
    await create("Narwhal alone", "private");
    expect(await suggested("narw")).toEqual([`collection ${id}`]);
    expect(await suggested("narwahl")).toEqual([`collection ${id}`]);
    expect(await suggested("narw", "&type=collection", alice)).toEqual([`collection ${id}`]);
    expect(await suggested("narw", "&type=prompt")).toEqual([]);
  });

  test("has the largest collection, the most starred make and the most used tag first", async () => {
    for (const [nth, title] of ["Caracal", "Caracara"].entries()) {
      const { id } = (await alice.request("POST /collections", { body: { title } })).json;
      await server.sql`update collections set item_count = ${5 - nth} where id = ${id}`;
      await alice.request("POST /makes", {
        body: { title, slug: title.toLowerCase(), body: "Text", publish: true },
      });
      await server.sql`update makes set hourly_stars = ${5 - nth} where slug = ${title.toLowerCase()}`;
      for (let used = nth; used < 2; used++)
        await publish(alice, `used-${nth}-${used}`, { title: "Used", tags: [`caraca-${nth}`] });
    }
    await addUpTags(server.sql);
    const labels = async (q: string, type: string) =>
      (await server.anonymous(`GET /search/suggest?q=${q}&type=${type}`)).json.items.map(
        ({ label }: { label: string }) => label,
      );
    for (const type of ["collection", "make"])
      expect([type, await labels("carac", type)]).toEqual([type, ["Caracal", "Caracara"]]);
    expect(await labels("carac", "tag")).toEqual(["caraca-0", "caraca-1"]);
  });

  test("has the newest of equals first, whether its name begins with the text or is almost like it", {
    tags: "long",
  }, async () => {
    const ids: Record<string, string[]> = { prompt: [], make: [], collection: [] };
    for (const slug of ["wombat-one", "wombat-two"]) {
      const about = { title: "Wombat", slug, body: "It digs", publish: true };
      await publish(alice, slug, {
        title: "Wombat",
        tags: slug === "wombat-two" ? ["womby-b"] : ["womby-b", "womby-a"],
      });
      ids["prompt"]?.unshift(`prompt alice/${slug}`);
      ids["make"]?.unshift(`make ${(await alice.request("POST /makes", { body: about })).json.slug}`);
      const { json } = await alice.request("POST /collections", { body: { title: "Wombat" } });
      ids["collection"]?.unshift(`collection ${json.id}`);
    }
    await addUpTags(server.sql);
    for (const [type, expected] of Object.entries(ids))
      for (const q of ["wombat", "wombaat"])
        expect([q, await suggested(q, `&type=${type}`)]).toEqual([q, expected]);
    // Of tags the most used one.
    for (const q of ["womby", "wombyy"])
      expect([q, await suggested(q, "&type=tag")]).toEqual([q, ["tag womby-b", "tag womby-a"]]);
    // What is more alike comes before what is newer.
    await alice.request("POST /collections", { body: { title: "Wombit" } });
    const alike = await suggested("wombaat", "&type=collection");
    expect([alike.slice(0, 2), alike.length]).toEqual([ids["collection"], 3]);
  });

  test("leaves out a fork beside a source of the same name, until more people star it", async () => {
    const bob = await server.join("bob");
    await publish(alice, "quokka", { title: "Quokka" });
    for (const slug of ["quokka", "quokka-two"])
      await bob.request("POST /prompts/alice/quokka/forks", { body: { slug } });
    await bob.request("PATCH /prompts/bob/quokka-two", { body: { title: "Quokka in German" } });
    const [source, named] = ["prompt alice/quokka", "prompt bob/quokka-two"];
    expect((await suggested("quok")).sort()).toEqual([source, named]);
    expect((await suggested("quokkka")).sort()).toEqual([source, named]);
    await server.sql`update prompts set hourly_stars = 3 where slug = 'quokka' and owner_id = ${bob.id}`;
    expect((await suggested("quok")).sort()).toEqual([source, "prompt bob/quokka", named]);
  });

  test("forgets a tag at once when its last public prompt leaves it", async () => {
    await publish(alice, "brief", { title: "Brief", tags: ["fleeting"] });
    await addUpTags(server.sql);
    expect(await suggested("fleet")).toEqual(["tag fleeting"]);
    await alice.request("PATCH /prompts/alice/brief", { body: { visibility: "private" } });
    expect(await suggested("fleet")).toEqual([]);
  });
});

test("prompts leave room for tags and accounts, and the most starred come first", async () => {
  for (let nth = 1; nth <= 12; nth++) {
    await publish(alice, `zebra-${nth}`, { title: `Zebra ${nth}`, tags: [`zebra-tag-${nth}`] });
  }
  await server.sql`update prompts set hourly_stars = 5 where slug = 'zebra-7'`;
  for (const handle of ["zebra", "zebroid"]) await server.join(handle);
  await addUpTags(server.sql);
  const all = await suggested("zeb");
  expect(all).toHaveLength(10);
  expect(all[0]).toBe("prompt alice/zebra-7");
  const count = (type: string) => all.filter((one) => one.startsWith(type)).length;
  expect(["prompt", "tag", "user"].map(count)).toEqual([5, 3, 2]);
});
