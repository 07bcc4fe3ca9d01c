import { type Contract, contract, type Kind, listOperations, targetKinds } from "@promptreg/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  castings,
  isWrite,
  make,
  methodOf,
  pathOf,
  request,
  send,
  shared,
  type Staging,
} from "../test/contract/requests.ts";
import { linesOf, watchWrites, withNames, type Writes } from "../test/effects.ts";
import { folderOf, groupScenes, operationScenes } from "../test/group-scenes.ts";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { countFromOne, type Thing } from "../test/scenes.ts";
import { liftLimits, TestStage } from "../test/stage.ts";
import { targets } from "./groups/index.ts";

const kinds = Object.keys(targetKinds) as Kind[];
const scopes = ["read", "write", "evals:write"];
const groups = Object.keys(groupScenes) as (keyof Contract)[];

let server: TestServer;
let stage: TestStage;
/** Where things of other people are, who did the same before: nothing of theirs is to be shown or written instead. */
let others: TestStage;
let things: Record<Kind, Thing>;
let writes: Writes;
/** By the group. */
const found = new Map(groups.map((group) => [group, [] as string[]]));

beforeAll(async () => {
  countFromOne();
  server = await startTestServer();
  await liftLimits(server);
  const [mallory, moderator, alice, root] = [
    await server.join("mallory", { scopes }),
    await server.join("moderator", { scopes, role: "moderator" }),
    await server.join("alice", { scopes }),
    await server.join("root", { scopes, role: "admin" }),
  ];
  others = new TestStage({ server, owner: mallory, viewer: moderator });
  await connected(others);
  for (const subject of subjectsOf(others, groups))
    if (isWrite(subject.operation)) await (await staged(subject, mallory))();
  stage = new TestStage({ server, owner: alice, viewer: root });
  things = await connected(stage);
  writes = await watchWrites(server.sql);
  for (const [group, lines] of found)
    for (const subject of subjectsOf(stage, [group])) {
      const effectsBy = async (who: Person) => effectsOf(await staged(subject, who));
      const [own, ofStaff] = [await effectsBy(alice), await effectsBy(root)];
      lines.push(`${subject.id}, by its owner`, ...own);
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
  for (const undo of [...stage.undo, ...others.undo]) undo();
  return server.stop();
});

/** A thing of each kind, with what groups connect between them. */
async function connected(stage: TestStage): Promise<Record<Kind, Thing>> {
  const things = {} as Record<Kind, Thing>;
  for (const kind of kinds) things[kind] = (await stage.shared(kind)).thing;
  for (const { connect } of Object.values(groupScenes)) await connect?.(stage, things);
  return things;
}

const subjectsOf = (stage: TestStage, groups: readonly (keyof Contract)[]): Staging[] =>
  groups.flatMap((group) =>
    listOperations(contract[group], `${group}.`).map(({ id, operation }) => ({ id, operation, stage })),
  );

/**
 * Stages what an operation is about, and gives its least request. Where they may, others did the same to it before, and what
 * is taken back was done.
 */
async function staged(subject: Staging, who: Person): Promise<() => Promise<Answer>> {
  const { operation } = subject;
  const kinds = castings(operation)[0] ?? [];
  if (!isWrite(operation)) {
    const things = await shared(subject.stage, kinds);
    return () => send(subject, who, request(subject, things));
  }
  const made = await make(subject, kinds);
  const ask = (one: Staging, who: Person) => send(one, who, request(one, made));
  const before = methodOf(operation) === "DELETE" ? doingOf(subject) : subject;
  const prepare = async (id: string, stage: TestStage) =>
    operationScenes[id]?.prepare?.(stage, ...made.map(({ thing }) => thing));
  if (before !== subject && before) {
    await prepare(before.id, subject.stage);
    await ask(before, who);
  }
  if (subject.stage !== others && kinds.length > 0) {
    await prepare(subject.id, others).catch(() => {});
    if (before) await ask(before, others.owner);
  }
  return () => ask(subject, who);
}

/** The operation whose effect a DELETE takes back. */
const doingOf = ({ operation, stage }: Staging): Staging | undefined =>
  subjectsOf(stage, groups).find(
    (one) => ["PUT", "POST"].includes(methodOf(one.operation)) && pathOf(one.operation) === pathOf(operation),
  );

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

test.each(kinds)("a %s is read from its address, where it can be named by that", (kind) => {
  expect(() => targets[kind].parse?.(things[kind].address)).not.toThrow();
});
