import {
  contract,
  type Kind,
  listOperations,
  mediaList,
  type ResponseMedium,
  type Results,
  targetKinds,
} from "@promptreg/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { castings, request, send } from "../test/contract/requests.ts";
import { groupScenes } from "../test/group-scenes.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { itemsOf } from "../test/requests.ts";
import { expectDone, type Staged } from "../test/scenes.ts";
import { liftLimits, TestStage } from "../test/stage.ts";
import { addUpTags } from "./groups/tags/tags.sql.ts";

let server: TestServer;
let stage: TestStage;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  stage = new TestStage({ server, owner: await server.join("alice"), viewer: await server.join("mallory") });
});
afterAll(() => server.stop());

const counts = Object.assign({}, ...Object.values(groupScenes).map((scenes) => scenes.counts)) as NonNullable<
  (typeof groupScenes)[string]["counts"]
>;
const kinds = Object.keys(targetKinds) as Kind[];

const isJson = (media: Results[number] | undefined) =>
  mediaList<ResponseMedium>(media).some(({ kind }) => kind === "json");
const reads = listOperations(contract)
  .filter(({ operation: { route, results } }) => route.startsWith("GET ") && isJson(results[200]))
  .map(({ id, operation }) => ({ id, operation, kinds: castings(operation) }));
/** The reads about one thing of a kind, and later only those that show numbers. */
const readsOf = new Map(
  kinds.map((kind) => [kind, reads.filter((read) => read.kinds.some((all) => all.join() === kind))]),
);

/** The numbers that anybody is shown of a thing: those in `counts`, and those that are named so. */
async function numbersOf(staged: Staged): Promise<Record<string, number>> {
  await server.context.activity.flush();
  await addUpTags(server.sql);
  const numbers: Record<string, number> = {};
  const showing: typeof reads = [];
  for (const read of readsOf.get(staged.kind) ?? []) {
    const asked = { ...read, stage };
    const { json = {} } = await send(asked, null, request(asked, [staged]));
    const named = Object.entries(json).filter(([name]) => name.endsWith("Count"));
    if (json.counts || named.length > 0) showing.push(read);
    Object.assign(numbers, json.counts, Object.fromEntries(named));
  }
  readsOf.set(staged.kind, showing);
  return numbers;
}

test("every number that others are shown of a thing has a scene", async () => {
  const shown: string[] = [];
  for (const kind of kinds) {
    const numbers = await numbersOf(await stage.shared(kind));
    shown.push(...Object.keys(numbers).map((name) => `${kind}.${name}`));
  }
  expect(shown.sort()).toEqual(Object.keys(counts).sort());
});

test.each(Object.entries(counts))(
  "%s is what others can count",
  async (name, { list, changes = {}, add }) => {
    const [kind, field] = name.split(".") as [Kind, string];
    const staged = await stage.make(kind);
    const shown = async () => (await numbersOf(staged))[field] as number;
    let before = await shown();
    const change = async (what: string, by: number, act: () => PromiseLike<unknown>) => {
      await act();
      const now = await shown();
      expect([what, now - before]).toEqual([what, by]);
      if (list)
        expect([what, (await itemsOf(server.nobody, `GET ${list(staged.thing)}`)).length]).toEqual([
          what,
          now,
        ]);
      before = now;
    };
    for (const [what, [by, act]] of Object.entries(changes))
      await change(what, by, () => act(stage, staged.thing));
    if (!add) return expect(Object.values(changes).map(([by]) => by)).toContain(1);
    let [owner, address] = [stage.owner, ""];
    await change("one more", 1, async () => ({ owner, address } = await add(stage, staged.thing)));
    const become = (body: object, by: number) =>
      change(JSON.stringify(body), by, async () => {
        ({ ref: address } = await expectDone(owner, `PATCH /prompts/${address}`, body));
      });
    await become({ slug: name.toLowerCase().replace(".", "-") }, 0);
    for (const visibility of ["unlisted", "private"]) {
      await become({ visibility }, -1);
      await become({ visibility: "public" }, 1);
    }
    await change("its deletion", -1, () => expectDone(owner, `DELETE /prompts/${address}`));
  },
);
