import { contract, type Kind, listOperations, type Operation, type Visibility } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { kindScenes } from "../test/group-scenes.ts";
import { expectDone } from "../test/scenes.ts";
import { tell } from "../test/notified.ts";
import { addressOf, exchange } from "../test/requests.ts";
import { addUpTags } from "./groups/tags/tags.sql.ts";

let server: TestServer;
const people: Record<string, Person | null> = { anonymous: null };

beforeAll(async () => {
  server = await startTestServer();
  people["owner"] = await server.join("alice", { scopes: ["read", "write", "evals:write"] });
  people["stranger"] = await server.join("mallory");
  people["moderator"] = await server.join("mod", { role: "moderator" });
  people["admin"] = await server.join("root", { role: "admin" });
});
afterAll(() => server.stop());

const viewers = ["anonymous", "stranger", "owner", "moderator", "admin"];

interface State {
  visibility: Visibility;
  isDraft: boolean;
  isDeleted: boolean;
  /** What others get. The owner sees it, or gets `gone` if it is deleted. */
  others: "seen" | "gone" | "hidden";
}
const states: Record<string, State> = {
  public: { visibility: "public", isDraft: false, isDeleted: false, others: "seen" },
  unlisted: { visibility: "unlisted", isDraft: false, isDeleted: false, others: "seen" },
  private: { visibility: "private", isDraft: false, isDeleted: false, others: "hidden" },
  draft: { visibility: "public", isDraft: true, isDeleted: false, others: "hidden" },
  "deleted public": { visibility: "public", isDraft: false, isDeleted: true, others: "gone" },
  "deleted unlisted": { visibility: "unlisted", isDraft: false, isDeleted: true, others: "gone" },
  "deleted private": { visibility: "private", isDraft: false, isDeleted: true, others: "hidden" },
  "deleted draft": { visibility: "public", isDraft: true, isDeleted: true, others: "hidden" },
};

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
  /** Its parameters in paths and queries. */
  params: Record<string, unknown>;
  /** Of what belongs to it, and of what the stranger has that names it, by its kind. */
  ids: Ids;
}

/** Ids that nothing has. */
const nothing = {
  run: "run_00000000000000000000000000",
  example: "exm_00000000000000000000000000",
  dataset: "eds_00000000000000000000000000",
  webhook: "whk_00000000000000000000000000",
  // What its items show of prompts is tested where duplicates are found.
  import: "imp_00000000000000000000000000",
};
type Ids = typeof nothing;

/** Makes a prompt in a state, with everything that can belong to it. Others knew it, watched it and starred it before. */
async function stage({ visibility, isDraft, isDeleted }: State): Promise<Scene> {
  const [alice, mallory] = [people["owner"] as Person, people["stranger"] as Person];
  const word = newWord();
  const at = `/prompts/alice/${word}`;
  const files = [{ path: "PROMPT.md", content: `Say ${word}` }];
  const body = {
    kind: "text",
    visibility: "public",
    slug: word,
    title: word,
    summary: word,
    tags: [word],
    files,
    message: word,
  };
  await alice.request("POST /prompts", { body: { ...body, publish: !isDraft } });
  let { run, webhook } = nothing;
  const { id: example } = await expectDone(alice, `POST ${at}/examples`, {
    title: word,
    output: word,
    note: word,
  });
  const named = { prompt: `alice/${word}`, name: word, visibility: "public" };
  const { id: dataset } = await expectDone(alice, "POST /evals/datasets", named);
  await expectDone(alice, `POST /evals/datasets/${dataset}/cases`, { cases: [{ key: word }] });
  if (!isDraft) {
    await alice.request(`PUT ${at}/labels/production`, { body: { versionNumber: 1, reason: word } });
    await tell(server, mallory);
    const report = { prompt: `alice/${word}`, versionNumber: 1, model: word };
    run = (await alice.request("POST /evals/runs", { body: report })).json.id as string;
    await expectDone(mallory, `POST ${at}/examples`, { output: word });
    await mallory.request(`PUT ${at}/watch`, { body: { level: "all" } });
    await mallory.request(`POST ${at}/star`);
    expect((await mallory.request(`GET ${at}/download?format=markdown`)).status).toBe(200);
    const install = { target: "cursor", installationId: "laptop" };
    await expectDone(mallory, `POST ${at}/installs`, install);
    // Their fork is their own, so that it says nothing of the prompt by itself.
    const slug = `fork-${words}`;
    await mallory.request(`POST ${at}/forks`, { body: { slug, visibility: "private" } });
    const own = { title: "Mine", summary: null, tags: [] };
    await mallory.request(`PATCH /prompts/mallory/${slug}`, { body: own });
    const mine = [{ path: "PROMPT.md", content: "Mine" }];
    await mallory.request(`POST /prompts/mallory/${slug}/versions`, { body: { files: mine } });
    const proposal = { source: { ref: `mallory/${slug}` }, title: word, body: word };
    expect((await mallory.request(`POST ${at}/change-requests`, { body: proposal })).status).toBe(201);
    const hook = { url: "http://127.0.0.1:1/hook", prompts: [`alice/${word}`] };
    webhook = (await expectDone(mallory, "POST /webhooks", hook)).id;
    // It had another address before.
    await alice.request(`PATCH ${at}`, { body: { slug: `${word}-now` } });
  }
  const slug = isDraft ? word : `${word}-now`;
  await alice.request(`PATCH /prompts/alice/${slug}`, { body: { visibility } });
  if (isDeleted) await alice.request(`DELETE /prompts/alice/${slug}`);
  const params = {
    owner: "alice",
    slug,
    n: 1,
    name: "production",
    path: "PROMPT.md",
    range: "1..1",
    target: "claude",
  };
  const inQueries = { prompt: `alice/${slug}`, a: run, b: run };
  return { word, params: { ...params, ...inQueries }, ids: { ...nothing, run, example, dataset, webhook } };
}

const reading = listOperations(contract).filter(({ operation }) => operation.route.startsWith("GET "));
const kindsOf = ({ access: { on = {} } }: Operation) => Object.keys(on) as Kind[];
/** Whether it is a prompt, or belongs to one. A tag is seen while any public prompt has it. */
const isOfPrompt = (kind: Kind): boolean => {
  const { below } = kindScenes[kind] ?? {};
  return kind === "prompt" || (kind !== "tag" && below !== undefined && isOfPrompt(below));
};
const aboutPrompts = reading.filter(({ operation }) => kindsOf(operation).some(isOfPrompt));
const aboutOthers = reading.filter(({ operation }) => !kindsOf(operation).some(isOfPrompt));
/** The id of what an operation is about, if it has one. */
const idFor = (operation: Operation, ids: Ids) => ({
  id: kindsOf(operation).flatMap((kind) => (ids as Partial<Record<Kind, string>>)[kind] ?? [])[0],
});

async function ask(viewer: string, operation: Operation, params: Scene["params"], query: object = {}) {
  const { from, with: others = {} } = operation.access;
  const fields = [from, ...Object.values(others).map((other) => other.from)].map((field) =>
    field?.replace("query.", ""),
  );
  const named = Object.fromEntries(fields.flatMap((field) => (field ? [[field, params[field]]] : [])));
  const address = addressOf(operation, { params, query: { ...named, ...query } });
  return exchange(server.url, `GET ${address}`, { token: people[viewer]?.token });
}

/** A response without the id of its request. */
const bare = ({ status, json, text }: Answer) =>
  json?.error ? { status, ...json.error, requestId: "" } : { status, text };

describe.each(Object.entries(states))("a prompt that is %s", (_name, state) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await stage(state);
  });

  const operations = aboutPrompts.filter(
    ({ operation }) =>
      !state.isDraft || !kindsOf(operation).some((kind) => ["run", "change_request"].includes(kind)),
  );

  test.each(operations)("is shown by $id only to those who may see it", async ({ operation }) => {
    for (const viewer of viewers) {
      const params = { ...scene.params, ...idFor(operation, scene.ids) };
      const answer = bare(await ask(viewer, operation, params));
      const nowhere = {
        ...scene.params,
        slug: "nothing",
        prompt: "alice/nothing",
        a: nothing.run,
        b: nothing.run,
        ...idFor(operation, nothing),
      };
      const absent = bare(await ask(viewer, operation, nowhere));
      if (operation.access.auth === "required" && viewer === "anonymous") {
        expect([viewer, answer.status]).toEqual([viewer, 401]);
      } else {
        const isHidden = JSON.stringify(answer) === JSON.stringify(absent);
        expect([viewer, isHidden ? "hidden" : answer.status === 410 ? "gone" : "seen"]).toEqual([
          viewer,
          visibilityFor(state, viewer),
        ]);
      }
    }
  });

  test("redirects from its former address only for those who may see it", async () => {
    if (state.isDraft) return expect(scene.params["slug"]).toBe(scene.word);
    const get = aboutPrompts.find(({ id }) => id === "prompts.get")?.operation as Operation;
    for (const viewer of viewers) {
      const { status, headers, text } = await ask(viewer, get, { ...scene.params, slug: scene.word });
      const expected = { seen: 301, gone: 410, hidden: 404 }[visibilityFor(state, viewer)];
      expect([viewer, status]).toEqual([viewer, expected]);
      if (expected === 301) expect(headers.get("location")).toMatch(`/alice/${String(scene.params["slug"])}`);
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
    const list = reading.find(({ id }) => id === "prompts.list")?.operation as Operation;
    const isListed = state.others === "seen" && state.visibility === "public";
    for (const viewer of viewers) {
      const answers = await Promise.all(queries.map((query) => ask(viewer, list, {}, query)));
      const shown = answers.filter(({ text }) => text.includes(word)).length;
      expect([viewer, answers.map(({ status }) => status)]).toEqual([viewer, queries.map(() => 200)]);
      // All but the list of its forks: it has none.
      expect([viewer, shown]).toEqual([viewer, isListed ? queries.length - 1 : 0]);
    }
    const search = reading.filter(({ id }) => /^(search\.|tags\.list)/.test(id));
    await addUpTags(server.sql);
    for (const viewer of viewers) {
      for (const { id, operation } of search) {
        const { status, text } = await ask(viewer, operation, {}, { q: word });
        expect([viewer, id, status, text.includes(word)]).toEqual([viewer, id, 200, isListed]);
      }
    }
    const own = await ask("owner", list, {}, { owner: "me", limit: 100 });
    expect(own.text.includes(word)).toBe(!state.isDeleted);
  });

  test("is not counted, listed or named for those who cannot see it", async () => {
    const elsewhere = aboutOthers.filter(({ id }) => id !== "prompts.list" && id !== "tags.list");
    const leaks: string[][] = [];
    for (const viewer of viewers.filter((name) => name !== "owner")) {
      // The stranger watches and stars it, and still sees it in the lists of these.
      if (viewer === "stranger" && state.others === "seen") continue;
      for (const { id, operation } of elsewhere) {
        // Whoever asks for a tag knows its name.
        const name = { name: kindsOf(operation).includes("tag") ? "nothing" : scene.params["name"] };
        const params = { ...scene.params, ...name, handle: "alice", ...idFor(operation, scene.ids) };
        const { text } = await ask(viewer, operation, params);
        if (text.includes(scene.word)) leaks.push([viewer, id]);
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

describe("what somebody may not see", () => {
  const paths = ["/versions/1", "?view=version", "?view=version&label=production", "/raw", "/raw/PROMPT.md"];

  test.each(["private", "deleted public"])("is not even read for them where it is %s", async (name) => {
    const { params } = await stage(states[name] as State);
    const at = `/prompts/alice/${String(params["slug"])}`;
    // Text that nobody can read: whoever prints it fails.
    await server.sql`
      update blobs b set content = '\\xff' from prompts p join versions v on v.prompt_id = p.id
        join version_files f on f.version_id = v.id
      where p.slug = ${String(params["slug"])} and b.sha256 = f.sha256`;
    const statusFor = async (viewer: string, path: string) =>
      (await exchange(server.url, `GET ${at}${path}`, { token: people[viewer]?.token })).status;
    for (const path of paths) {
      for (const viewer of ["anonymous", "stranger", "moderator"])
        expect([viewer, path, await statusFor(viewer, path)]).toEqual([
          viewer,
          path,
          name === "private" ? 404 : 410,
        ]);
      expect([path, await statusFor("owner", path)]).toEqual([path, name === "private" ? 422 : 410]);
    }
  });

  test("takes as many statements as what is not there", async () => {
    const { params } = await stage(states["private"] as State);
    const { options } = server.sql as unknown as { options: { debug: unknown } };
    const statements = async (path: string) => {
      let count = 0;
      options.debug = () => (count += 1);
      await exchange(server.url, `GET /prompts/alice/${path}`, { token: people["stranger"]?.token });
      options.debug = false;
      return count;
    };
    for (const path of ["", "/versions", "/diff/1..1", ...paths]) {
      // Again, if work in the background ran a statement meanwhile.
      await vi.waitFor(async () => {
        const hidden = await statements(`${String(params["slug"])}${path}`);
        expect([path, hidden]).toEqual([path, await statements(`nothing${path}`)]);
      });
    }
  });
});
