import { type Contract, contract, type Kind, listOperations, targetKinds } from "@promptreg/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { castings, isWrite, make, request, send, shared } from "../test/contract/requests.ts";
import { linesOf, watchWrites, withNames, type Writes } from "../test/effects.ts";
import { folderOf, groupScenes } from "../test/group-scenes.ts";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { countFromOne, type Thing } from "../test/scenes.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

const scopes = ["read", "write", "evals:write"];
const groups = Object.keys(groupScenes) as (keyof Contract)[];

let server: TestServer;
let stage: TestStage;
let writes: Writes;
/** By the group. */
const found = new Map(groups.map((group) => [group, [] as string[]]));

beforeAll(async () => {
  countFromOne();
  server = await startTestServer();
  await liftLimits(server);
  const owner = await server.join("alice", { scopes });
  stage = new TestStage({
    server,
    owner,
    viewer: await server.join("root", { scopes, role: "admin" }),
  });
  const things = {} as Record<Kind, Thing>;
  for (const kind of Object.keys(targetKinds) as Kind[]) things[kind] = (await stage.shared(kind)).thing;
  for (const { connect } of Object.values(groupScenes)) await connect?.(stage, things);
  writes = await watchWrites(server.sql);
  for (const [group, lines] of found)
    for (const { id, operation } of listOperations(contract[group], `${group}.`)) {
      const subject = { id, operation, stage };
      const kinds = castings(operation)[0] ?? [];
      const effectsBy = async (who: Person) => {
        const staged = await (isWrite(operation) ? make(subject, kinds) : shared(stage, kinds));
        return effectsOf(() => send(subject, who, request(subject, staged)));
      };
      const [own, ofStaff] = [await effectsBy(owner), await effectsBy(stage.viewer)];
      lines.push(`${id}, by its owner`, ...own);
      lines.push(
        ...(own.join() === ofStaff.join() ? ["and by staff: the same"] : ["and by staff", ...ofStaff]),
      );
    }
  for (const [group, lines] of found) {
    const { changes = {}, keeps = {} } = groupScenes[group] ?? {};
    for (const [what, act] of Object.entries({ ...keeps, ...changes }))
      lines.push(what, ...(await effectsOf(() => act(stage, things))));
  }
});
afterAll(() => {
  for (const undo of stage.undo) undo();
  return server.stop();
});

/** What an act answers, if it is a request, and which rows it writes. */
async function effectsOf(act: () => PromiseLike<unknown>): Promise<string[]> {
  let answer: string[] = [];
  const written = await writes.of(async () => {
    const result = await act();
    // What is gathered and written a second later.
    await server.context.activity.flush();
    if (isAnswer(result)) answer = linesOf(result);
  });
  return [...answer, ...written].map((line) => `  ${line}`);
}
const isAnswer = (result: unknown): result is Answer =>
  typeof result === "object" && result !== null && "headers" in result && result.headers instanceof Headers;

test.each(groups)(
  "%s answer and write what their `effects.txt` says, which changes only on purpose",
  async (group) => {
    const text = withNames(`${found.get(group)?.join("\n")}\n`);
    await expect(text).toMatchFileSnapshot(`groups/${folderOf(group)}/effects.txt`);
  },
);
