import {
  contract as publicContract,
  forMembers,
  type Kind,
  listOperations,
  mediaList,
  ref,
  type ResponseMedium,
  type Visibility,
} from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { isThorough } from "../../core/src/testing/growth.ts";
import { castings, isList, request, send, type Staging } from "../test/contract/requests.ts";
import { groupScenes, kindScenes } from "../test/group-scenes.ts";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { watchStatements } from "../test/sent.ts";
import { exchange } from "../test/requests.ts";
import { expectDone, type Thing, type Things } from "../test/scenes.ts";
import { liftLimits, TestStage } from "../test/stage.ts";
import { addUpTags } from "./groups/tags/tags.sql.ts";

/** With `ACCESS=members` the same holds for all who have an account. That others get nothing is shown elsewhere, for each operation. */
const isForMembers = process.env["ACCESS"] === "members";
const contract = isForMembers ? forMembers(publicContract) : publicContract;

let server: TestServer;
let testStage: TestStage;
const people: Record<string, Person | null> = { anonymous: null };

beforeAll(async () => {
  server = await startTestServer({ isForMembers });
  people["owner"] = await server.join("alice", { scopes: ["read", "write", "evals:write"] });
  people["stranger"] = await server.join("mallory");
  people["moderator"] = await server.join("mod", { role: "moderator" });
  people["admin"] = await server.join("root", { role: "admin" });
  testStage = new TestStage({ server, owner: people["owner"], viewer: people["stranger"] });
  await liftLimits(server);
});
afterAll(() => server.stop());

const viewers = [...(isForMembers ? [] : ["anonymous"]), "stranger", "owner", "moderator", "admin"];
/** Of those who own nothing the long form asks each. The short form asks a quarter, in turn. */
const othersInTurn = (place: number) =>
  viewers.filter((name) => name !== "owner").filter((_, nth) => isThorough || (nth + place) % 4 === 0);

interface State {
  visibility: Visibility;
  isDraft: boolean;
  isDeleted: boolean;
  /** What others get. The owner sees it, or gets `gone` if it is deleted. */
  others: "seen" | "gone" | "hidden";
}
const all: Record<string, State> = {
  public: { visibility: "public", isDraft: false, isDeleted: false, others: "seen" },
  unlisted: { visibility: "unlisted", isDraft: false, isDeleted: false, others: "seen" },
  private: { visibility: "private", isDraft: false, isDeleted: false, others: "hidden" },
  draft: { visibility: "public", isDraft: true, isDeleted: false, others: "hidden" },
  "deleted public": { visibility: "public", isDraft: false, isDeleted: true, others: "gone" },
  "deleted unlisted": { visibility: "unlisted", isDraft: false, isDeleted: true, others: "gone" },
  "deleted private": { visibility: "private", isDraft: false, isDeleted: true, others: "hidden" },
  "deleted draft": { visibility: "public", isDraft: true, isDeleted: true, others: "hidden" },
};
/** What is deleted is shown as what it was is; the long form tries each. */
const rare = ["deleted unlisted", "deleted draft"];
const states = Object.fromEntries(Object.entries(all).filter(([name]) => isThorough || !rare.includes(name)));

const visibilityFor = ({ others, isDeleted }: State, viewer: string) =>
  viewer !== "owner" ? others : isDeleted ? "gone" : "seen";

/** The number of prompts so far that a stranger was notified about and can see. */
let notifiedVisible = 0;

/** A word that is in every field of one prompt, and nowhere else. */
let words = 0;
const newWord = () =>
  `plugh${"abcdefghij".charAt(Math.floor(words / 10))}${"abcdefghij".charAt(words++ % 10)}`;

interface Scene {
  word: string;
  /** Of each kind one that belongs to the prompt, or that names it. */
  things: Things;
}

/** Makes a prompt in a state, with all that groups show of one. Others knew it before. */
async function stage({ visibility, isDraft, isDeleted }: State): Promise<Scene> {
  const alice = people["owner"] as Person;
  const word = newWord();
  const files = [{ path: "PROMPT.md", content: `Say ${word}` }];
  const texts = { slug: word, title: word, summary: word, tags: [word], message: word };
  const body = { kind: "text", visibility: "public", files, ...texts, publish: !isDraft };
  await expectDone(alice, "POST /prompts", body);
  const below = { n: 1, name: "production", path: "PROMPT.md", range: "1..1" };
  const params = { owner: "alice", slug: word, ...below };
  const prompt = { params, address: `alice/${word}` };
  const things: Things = { prompt, version: { params, address: `alice/${word}@1` } };
  for (const { shows } of Object.values(groupScenes))
    Object.assign(things, await shows?.(testStage, { ...prompt, word, isDraft }));
  const slug = isDraft ? word : `${word}-now`;
  await expectDone(alice, `PATCH /prompts/alice/${word}`, { slug, visibility });
  for (const thing of Object.values(things)) if ("owner" in thing.params) thing.params["slug"] = slug;
  prompt.address = `alice/${slug}`;
  if (isDeleted) await alice.request(`DELETE /prompts/alice/${slug}`);
  return { word, things };
}

interface Reading extends Staging {
  /** What it is about. */
  kinds: readonly Kind[];
}
const reading = listOperations(contract)
  .filter(({ operation }) => operation.route.startsWith("GET "))
  .flatMap(({ id, operation }) =>
    castings(operation).map(
      (kinds): Reading => ({
        id,
        operation,
        kinds,
        get stage() {
          return testStage;
        },
      }),
    ),
  );
/** Whether it is a prompt, or belongs to one. A tag is seen while any public prompt has it. */
const isOfPrompt = (kind: Kind): boolean => {
  const { below, isAlwaysVisible } = kindScenes[kind] ?? {};
  return kind === "prompt" || (!isAlwaysVisible && below !== undefined && isOfPrompt(below));
};
const aboutPrompts = reading.filter(({ kinds }) => kinds.some(isOfPrompt));
const aboutOthers = reading.filter(({ kinds }) => !kinds.some(isOfPrompt));
const readingOf = (id: string) => reading.find((one) => one.id === id) as Reading;

/** Whether responses can have the address of a prompt. */
function namesPrompts({ operation: { results } }: Reading): boolean {
  const { pattern } = z.toJSONSchema(ref);
  return Object.values(results)
    .flatMap((media) => mediaList<ResponseMedium>(media))
    .some(
      (medium) =>
        medium.kind === "json" &&
        JSON.stringify(z.toJSONSchema(medium.schema, { unrepresentable: "any" })).includes(
          JSON.stringify(pattern),
        ),
    );
}

/** Asks about things, or about things that are not there. */
function ask(viewer: string, read: Reading, things: Things | null, query: object = {}): Promise<Answer> {
  const named = read.kinds.map((kind) => {
    const thing = things?.[kind];
    if (things && !thing)
      throw new Error(`${read.id}: no group shows a prompt, or gives what it made, of the kind ${kind}`);
    return thing && { kind, thing };
  });
  return send(read, people[viewer] ?? null, request(read, named), {
    query: { ...(isList(read.operation) && { limit: 100 }), ...query },
  });
}

/** A response without the id of its request. */
const bare = ({ status, json, text }: Answer) =>
  json?.error ? { status, ...json.error, requestId: "" } : { status, text };

const absentAnswers = new Map<string, Promise<string>>();

/** The answer of what is not there, which is the same whatever state another prompt is in. */
function askNowhere(viewer: string, read: Reading): Promise<string> {
  const key = `${viewer} ${read.id} ${read.kinds.join(" ")}`;
  const asked =
    absentAnswers.get(key) ?? ask(viewer, read, null).then((answer) => JSON.stringify(bare(answer)));
  absentAnswers.set(key, asked);
  return asked;
}

describe.each(Object.entries(states))("a prompt that is %s", (name, state) => {
  const place = Object.keys(states).indexOf(name);
  let scene: Scene;
  beforeAll(async () => {
    scene = await stage(state);
  });

  test.each(aboutPrompts)("is shown by $id only to those who may see it", async (read) => {
    // A draft has no runs, and nobody proposes a change to it.
    if (state.isDraft && read.kinds.some((kind) => !scene.things[kind])) return;
    for (const viewer of ["owner", ...othersInTurn(aboutPrompts.indexOf(read) + place)]) {
      const answer = bare(await ask(viewer, read, scene.things));
      const absent = await askNowhere(viewer, read);
      if (read.operation.access.auth === "required" && viewer === "anonymous") {
        expect([viewer, answer.status]).toEqual([viewer, 401]);
      } else {
        const isHidden = JSON.stringify(answer) === absent;
        expect([viewer, isHidden ? "hidden" : answer.status === 410 ? "gone" : "seen"]).toEqual([
          viewer,
          visibilityFor(state, viewer),
        ]);
      }
    }
  });

  test("redirects from its former address only for those who may see it", async () => {
    const { params } = scene.things.prompt as Thing;
    if (state.isDraft) return expect(params["slug"]).toBe(scene.word);
    const former = { prompt: { params: { ...params, slug: scene.word }, address: "" } };
    for (const viewer of viewers) {
      const { status, headers, text } = await ask(viewer, readingOf("prompts.get"), former);
      const expected = { seen: 301, gone: 410, hidden: 404 }[visibilityFor(state, viewer)];
      expect([viewer, status]).toEqual([viewer, expected]);
      if (expected === 301) expect(headers.get("location")).toMatch(`/alice/${String(params["slug"])}`);
      else expect([headers.get("location"), text.includes(`${scene.word}-now`)]).toEqual([null, false]);
    }
  });

  test("is in lists and searches only if it is public, or if the list is the owner's", async () => {
    const { word } = scene;
    const queries = [
      {},
      { q: word },
      { tag: word },
      { owner: "alice" },
      { owner: "alice", q: word },
      { forkOf: `alice/${word}` },
      ...["newest", "updated", "stars", "installs", "title"].map((sort) => ({ sort, limit: 100 })),
    ];
    const list = readingOf("prompts.list");
    const isListed = state.others === "seen" && state.visibility === "public";
    for (const viewer of viewers) {
      const answers = await Promise.all(queries.map((query) => ask(viewer, list, {}, query)));
      const shown = answers.filter(({ text }) => text.includes(word)).length;
      expect([viewer, answers.map(({ status }) => status)]).toEqual([viewer, queries.map(() => 200)]);
      // All but the list of its forks: it has none.
      expect([viewer, shown]).toEqual([viewer, isListed ? queries.length - 1 : 0]);
    }
    const search = aboutOthers.filter(({ id }) => /^(search\.|tags\.list)/.test(id));
    await addUpTags(server.sql);
    for (const viewer of viewers) {
      for (const read of search) {
        const { status, text } = await ask(viewer, read, {}, { q: word });
        expect([viewer, read.id, status, text.includes(word)]).toEqual([viewer, read.id, 200, isListed]);
      }
    }
    const own = await ask("owner", list, {}, { owner: "me", limit: 100 });
    expect(own.text.includes(word)).toBe(!state.isDeleted);
    // They wrote there while they saw it, and keep their text.
    const { text } = await (people["stranger"] as Person).request("GET /comments?author=me&limit=100");
    expect(text.includes(`alice/${word}`)).toBe(state.others === "seen");
  });

  test("is not counted, listed or named for those who cannot see it, or whom nobody gave its address", async () => {
    const isListed = state.others === "seen" && state.visibility === "public";
    const leaks: string[][] = [];
    for (const [nth, read] of aboutOthers.entries()) {
      if (isListed) break;
      for (const viewer of othersInTurn(nth + place)) {
        // The stranger watches and stars it, and still sees it in the lists of these.
        if (viewer === "stranger" && state.others === "seen") continue;
        // A report gives moderators the address of what it is about.
        if (read.id === "reports.list" && state.others === "seen") continue;
        const { text } = await ask(viewer, read, scene.things);
        if (text.includes(scene.word)) leaks.push([viewer, read.id]);
      }
    }
    expect(leaks).toEqual([]);
    const { json } = await (people["stranger"] as Person).request("GET /notifications/count");
    notifiedVisible += state.others === "seen" && !state.isDraft ? 1 : 0;
    expect(json.unread).toBe(notifiedVisible);
  });
});

test("the count of an account's prompts has only the public ones, for every caller", async () => {
  const publicOnes = Object.values(states).filter(
    ({ others, visibility }) => others === "seen" && visibility === "public",
  ).length;
  for (const viewer of viewers) {
    const { json } = await exchange(server.url, "GET /users/alice", { token: people[viewer]?.token });
    expect([viewer, json.counts.prompts]).toEqual([viewer, publicOnes]);
  }
});

test("each read whose responses can have the address of a prompt shows one that is public", async () => {
  const { word, things } = await stage(states["public"] as State);
  await addUpTags(server.sql);
  const [showing, silent] = [new Set<string>(), new Set<string>()];
  for (const read of reading.filter(namesPrompts)) {
    const { shape = {} } = (read.operation.query ?? {}) as { shape?: object };
    let isShown = false;
    for (const viewer of ["owner", "stranger"]) {
      const { text } = await ask(viewer, read, things, "q" in shape ? { q: word } : {});
      isShown ||= text.includes(`alice/${word}`);
    }
    (isShown ? showing : silent).add(read.id);
  }
  // About some kind that it takes. Otherwise the `shows` of its group's scenes lacks an act.
  expect([...silent].filter((id) => !showing.has(id))).toEqual([]);
});

describe("what somebody may not see", () => {
  const paths = ["/versions/1", "?view=version", "?view=version&label=production", "/raw", "/raw/PROMPT.md"];

  test.each(["private", "deleted public"])("is not even read for them where it is %s", async (name) => {
    const { word } = await stage(states[name] as State);
    const at = `/prompts/alice/${word}-now`;
    // Text that nobody can read: whoever prints it fails.
    await server.sql`
      update blobs b set content = '\\xff' from prompts p join versions v on v.prompt_id = p.id
        join version_files f on f.version_id = v.id
      where p.slug = ${`${word}-now`} and b.sha256 = f.sha256`;
    const statusFor = async (viewer: string, path: string) =>
      (await exchange(server.url, `GET ${at}${path}`, { token: people[viewer]?.token })).status;
    for (const path of paths) {
      for (const viewer of viewers.filter((name) => name !== "owner"))
        expect([viewer, path, await statusFor(viewer, path)]).toEqual([
          viewer,
          path,
          name === "private" ? 404 : 410,
        ]);
      expect([path, await statusFor("owner", path)]).toEqual([path, name === "private" ? 422 : 410]);
    }
  });

  test("takes as many statements as what is not there, also for a change, and under a former address", async () => {
    const { word } = await stage(states["private"] as State);
    const { sql } = server.context;
    const statements = async (route: string, slug: string, body?: object) => {
      const [method = "", path = ""] = route.split(" ");
      const ask = async () => {
        const { status } = await (people["stranger"] as Person).request(
          `${method} /prompts/alice/${slug}${path}`,
          { body },
        );
        expect([route, status]).toEqual([route, 404]);
      };
      return watchStatements([sql], () => {}, ask);
    };
    const asked: [route: string, body?: object][] = [
      ...["", "/versions", "/diff/1..1", "/versions/1", ...paths].map((path): [string] => [`GET ${path}`]),
      ["PUT /watch", { level: "all" }],
      ["POST /forks", {}],
      ["PATCH ", { title: "Mine" }],
      ["PUT /labels/production", { versionNumber: 1 }],
      ["POST /versions/1/yank", {}],
    ];
    for (const [route, body] of asked) {
      // Again, if work in the background ran a statement meanwhile.
      await vi.waitFor(async () => {
        const missing = await statements(route, "nothing", body);
        expect(missing).toBeGreaterThan(0);
        for (const slug of [`${word}-now`, word])
          expect([route, slug, await statements(route, slug, body)]).toEqual([route, slug, missing]);
      });
    }
  });
});
