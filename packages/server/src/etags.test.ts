import { contract, type Kind, listOperations, targetKinds } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThorough } from "../../core/src/testing/growth.ts";
import { castings, hasTarget, isList, request, send, type Staging } from "../test/contract/requests.ts";
import { groupScenes, operationScenes } from "../test/group-scenes.ts";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { openReach, type Reach } from "../test/reach.ts";
import { expectDone, type Staged, type Thing } from "../test/scenes.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

let server: TestServer;
let reach: Reach;
let stage: TestStage;
/** How many requests were uncounted. */
let free = 0;
let staged: Record<Kind, Staged>;
let things: Record<Kind, Thing>;

beforeAll(async () => {
  server = await startTestServer();
  reach = await openReach(server);
  await liftLimits(server, () => (free += 1));
  const owner = await server.join("alice");
  stage = new TestStage({ server, owner, viewer: await server.join("root", { role: "admin" }) });
  const made = new Map<Kind, Promise<Staged>>();
  const kinds = Object.keys(targetKinds) as Kind[];
  for (const kind of kinds) await stage.make(kind, "public", made);
  staged = Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind, await made.get(kind)])),
  ) as typeof staged;
  things = Object.fromEntries(kinds.map((kind) => [kind, staged[kind].thing])) as typeof things;
  for (const { connect } of Object.values(groupScenes)) await connect?.(stage, things);
});
afterAll(() => {
  for (const undo of stage.undo) undo();
  return server.stop();
});

const subjects = listOperations(contract)
  .filter(({ operation }) => operation.route.startsWith("GET "))
  .map(
    ({ id, operation }): Staging => ({
      id,
      operation,
      get stage() {
        return stage;
      },
    }),
  );
const reads = subjects.filter(({ id }) => operationScenes[id]?.etag !== "none");

/** A response that a caller has stored. */
interface Stored {
  read: Staging;
  kinds: readonly Kind[];
  who: Person;
  etag: string;
  /** Its content without counts, which may lag; only its status if it is an error. */
  shown: string;
  /** The tables that it was read from so far. */
  tables: Set<string>;
  /** Whether something may have changed it since. */
  isDue: boolean;
}
const shownBy = (status: number, text: string) =>
  status === 200
    ? text.replace(/"(?:counts|votes)":\{[^}]*\}|"(?:downloads|commentCount)" ?: ?\d+/g, "")
    : `${status}`;

const ask = ({ read, kinds, who }: Pick<Stored, "read" | "kinds" | "who">, etag = "") => {
  const parts = request(
    read,
    kinds.map((kind) => staged[kind]),
  );
  return send(read, who, parts, { headers: { "if-none-match": etag } });
};

/** Asks, and notes from which tables the answer is read. */
async function askFor(one: Omit<Stored, "etag" | "shown">) {
  let answer: Awaited<ReturnType<typeof ask>> | undefined;
  const { named } = await reach.of(async () => (answer = await ask(one)));
  for (const table of named) one.tables.add(table);
  return answer!;
}

const stored: Stored[] = [];
/** The operations whose responses changed, by what changed them. */
const seen = new Map<string, Set<string>>();
const changes = Object.values(groupScenes).flatMap(({ changes = {} }) => Object.entries(changes));
const keeps = Object.values(groupScenes).flatMap(({ keeps = {} }) => Object.entries(keeps));

/** How many changes there were. */
let changed = 0;
/** The short form asks each read after every sixth change that could reach it; what came before is seen then. */
const isTurnOf = (place: number) => isThorough || (changed + place) % 6 === 0;

/** Does something, and asks again for what it could change, until somebody sees it. */
async function change(what: string, act: () => PromiseLike<unknown>): Promise<void> {
  seen.set(what, new Set());
  changed += 1;
  const { written } = await reach.of(act);
  for (const one of stored) {
    // What writes nothing is a change in the program.
    const isReached = written.size === 0 || [...written].some((table) => one.tables.has(table));
    one.isDue ||= isReached;
    // The long form asks every read after every change.
    if (isReached || !isThorough) continue;
    const wasSeen = seen.get(what)?.has(one.read.id);
    await askAgain(one, what);
    // Otherwise the tests would miss it.
    expect([what, seen.get(what)?.has(one.read.id)]).toEqual([what, wasSeen]);
  }
  const due = [...stored.entries()].filter(([, { isDue }]) => isDue);
  for (const [place, one] of due) if (isTurnOf(place)) await askAgain(one, what);
  for (const [, one] of due) if (one.isDue && seen.get(what)?.size === 0) await askAgain(one, what);
}

/** Asks again. If the content has changed, it asks with the former ETag too. */
async function askAgain(one: Stored, what: string): Promise<void> {
  const { id } = one.read;
  const { status, text, headers } = await askFor(one);
  const shown = shownBy(status, text);
  const etag = headers.get("etag") ?? "";
  if (shown !== one.shown) {
    expect([what, id, etag]).not.toEqual([what, id, one.etag]);
    expect([what, id, (await ask(one, one.etag)).status]).toEqual([what, id, status]);
    seen.get(what)?.add(id);
  }
  if (operationScenes[id]?.etag === "pinned" && etag && one.etag) expect([id, etag]).toEqual([id, one.etag]);
  Object.assign(one, { etag, shown, isDue: false });
}

describe("an ETag", () => {
  beforeAll(async () => {
    const all = reads.flatMap((read) => castings(read.operation).map((kinds) => ({ read, kinds })));
    for (const one of all) stored.push(...(await store(one)));
  });

  /** The response to its viewer; to its owner too where it is about the caller, or where the viewer is refused. */
  async function store(one: Pick<Stored, "read" | "kinds">): Promise<Stored[]> {
    const answers: Stored[] = [];
    for (const who of [stage.viewer, stage.owner]) {
      if (answers.length > 0 && hasTarget(one.read.operation)) break;
      const asked = { ...one, who, tables: new Set<string>(), isDue: false };
      const { status, headers, text } = await askFor(asked);
      const etag = headers.get("etag") ?? "";
      if (status === 200) answers.push({ ...asked, etag, shown: shownBy(status, text) });
    }
    return answers;
  }

  test("exists for every read, except those that declare to have none", () => {
    const ids = stored.filter(({ etag }) => etag !== "").map(({ read }) => read.id);
    expect([...new Set(ids)]).toEqual(reads.map(({ id }) => id));
  });

  test.each(keeps)("stays the same after %s", async (what, act) => {
    await act(stage, things);
    const answers = await Promise.all(stored.map((one) => ask(one, one.etag)));
    expect(stored.map(({ read: { id } }, nth) => [what, id, answers[nth]?.status])).toEqual(
      stored.map(({ read: { id } }) => [what, id, 304]),
    );
  });

  test("makes a 304 free if the target decides it, which `*` never does", async () => {
    for (const one of stored) {
      const { id, operation } = one.read;
      const before = free;
      expect([id, (await ask(one, "*")).status, free - before]).toEqual([id, 304, 0]);
      expect((await ask(one, one.etag)).status).toBe(304);
      const isDecided = hasTarget(operation) && !isList(operation) && operationScenes[id]?.etag !== "printed";
      expect([id, free - before]).toEqual([id, isDecided ? 1 : 0]);
    }
  });

  test.each(changes)("changes with the content after %s", async (what, act) => {
    await change(what, () => act(stage, things));
    // Otherwise the change proves nothing.
    expect([...(seen.get(what) ?? [])]).not.toEqual([]);
  });

  test("changes with the server's public URL", async () => {
    const { publicUrl } = server.context;
    server.context.publicUrl = "https://prompts.example";
    seen.set("its address", new Set());
    await Promise.all(stored.map((one) => askAgain(one, "its address")));
    server.context.publicUrl = publicUrl;
    expect([...(seen.get("its address") ?? [])]).toContain("prompts.get");
  });

  test("is tested for every read by a change of its content", () => {
    const changed = new Set([...seen.values()].flatMap((ids) => [...ids]));
    const untried = reads.filter(({ id }) => !changed.has(id) && operationScenes[id]?.etag !== "pinned");
    expect(untried.map(({ id }) => id)).toEqual([]);
  });
});

test("the ETag of a polled version changes with a move, a yank and the prompt's address, and with nothing else", async () => {
  const { owner } = stage;
  const { thing } = await stage.make("prompt");
  let at = `/prompts/${thing.address}`;
  const change = (route: string, body: object) => expectDone(owner, route.replace("{at}", at), body);
  const etagOf = async () => {
    const { headers } = await server.anonymous(`GET ${at}?label=production&view=version`);
    return headers.get("etag") ?? "";
  };
  const statusFor = async (etag: string) => {
    const headers = { "if-none-match": etag };
    return (await server.anonymous(`GET ${at}?label=production&view=version`, { headers })).status;
  };
  const changed: Record<string, () => Promise<unknown>> = {
    "a move": () => change("PUT {at}/labels/production", { versionNumber: 1 }),
    "a yank": async () => server.sql`
      update versions v set yanked_at = clock() from prompts p
      where p.id = v.prompt_id and p.slug = ${String(thing.params["slug"])} and v.n = 1`,
    "another address": async () => {
      await change("PATCH {at}", { slug: "polled" });
      at = `/prompts/${owner.handle}/polled`;
    },
    "its owner's handle": async () => {
      await server.sql`update users set handle = 'poller' where id = ${owner.id}`;
      at = "/prompts/poller/polled";
    },
  };
  for (const [what, act] of Object.entries(changed)) {
    const etag = await etagOf();
    await act();
    expect([what, await statusFor(etag)]).toEqual([what, 200]);
  }
  const etag = await etagOf();
  for (const [route, body] of [
    ["PATCH {at}", { title: "Another" }],
    ["PUT {at}/labels/staging", { versionNumber: 2 }],
    ["PATCH /me", { name: "Grace" }],
    ["POST {at}/versions", { files: [{ path: "PROMPT.md", content: "Another version" }] }],
  ] as const) {
    await change(route, body);
    expect([route, await statusFor(etag)]).toEqual([route, 304]);
  }
});
