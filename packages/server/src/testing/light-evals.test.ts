import type { Run } from "@promptreg/core";
import fc from "fast-check";
import { describe, test } from "vitest";
import { bothRegistries, type Side } from "./alike.ts";
import { isThorough } from "../../../core/src/testing/growth.ts";

const { expectAlike, create, commit, tokenOf } = bothRegistries();

/** Begins a run of ada's prompt, a second after what was before: lists have the newest first. */
async function begin({ send, registry }: Side, slug: string, more: object = {}): Promise<Run> {
  await registry.clock.advance(1000);
  const body = { prompt: `ada/${slug}`, versionNumber: 1, model: "gpt-5-mini", ...more };
  return (await send("POST /evals/runs", { body })).json;
}
const append = ({ send }: Side, { id }: Pick<Run, "id">, results: readonly object[]) =>
  send(`POST /evals/runs/${id}/results`, { body: { results } });
const end = ({ send }: Side, { id }: Pick<Run, "id">, body: object = { status: "completed" }) =>
  send(`PATCH /evals/runs/${id}`, { body });

/** Results of cases `a`, `b`, …, one a letter: passed, failed, errored or skipped. */
const resultsOf = (letters: string, more: object = {}) =>
  Array.from(letters, (letter, index) => ({
    index,
    caseKey: String.fromCharCode(97 + index),
    status: { p: "passed", f: "failed", e: "errored", s: "skipped" }[letter],
    ...more,
  }));

async function ran(side: Side, slug: string, letters: string, more: object = {}): Promise<Run> {
  const run = await begin(side, slug, more);
  await append(side, run, resultsOf(letters));
  return (await end(side, run)).json;
}

/** All pages of a list. */
async function pages({ send, note }: Side, path: string, token?: string | null): Promise<void> {
  const sizes: number[] = [];
  let cursor = "";
  do {
    const { json } = await send(`GET ${path}${cursor}`, token === undefined ? {} : { token });
    sizes.push(json.items?.length);
    cursor = json.nextCursor ? `&cursor=${json.nextCursor}` : "";
  } while (cursor !== "");
  note(sizes);
}

const dataset = async ({ send }: Side, slug: string, more: object = {}) =>
  (await send("POST /evals/datasets", { body: { prompt: `ada/${slug}`, name: "Basics", ...more } })).json;
const addCases = ({ send }: Side, { id }: { id: string }, cases: readonly object[]) =>
  send(`POST /evals/datasets/${id}/cases`, { body: { cases } });

describe("runs", () => {
  test("are begun, reported in batches and completed", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "ran");
      const source = { tool: "promptfoo", url: "https://ci.example/1", commit: null };
      const params = { zeta: 1, a: { long: [1.5, "é"], b: null }, temperature: 0.2 };
      const run = await begin(side, "ran", { params, source, threshold: 0.5, externalId: "build-1" });
      await send(`GET /evals/runs/${run.id}`);
      const scored = [
        { ...resultsOf("p")[0], score: 0.1, latencyMs: 100, inputTokens: 7, costUsd: 0.1, output: "Hello" },
        {
          ...resultsOf("pf")[1],
          score: 0.7,
          latencyMs: 250,
          outputTokens: 3,
          costUsd: 0.2,
          error: "Too dry",
        },
        { ...resultsOf("pfe")[2], latencyMs: 275, assertions: [{ type: "equals", passed: false }] },
        {
          ...resultsOf("pfep")[3],
          score: 0.2,
          assertions: [{ type: "cost", passed: true, score: 1, reason: "r" }],
        },
        { ...resultsOf("pfeps")[4], score: 1, latencyMs: 90_000 },
      ];
      await append(side, run, scored);
      await append(side, run, scored);
      await append(side, run, [{ ...scored[0], status: "failed" }, ...resultsOf("pppppp").slice(5)]);
      await append(side, run, [{ ...scored[3], assertions: [{ type: "cost", passed: true, score: null }] }]);
      await append(side, run, [{ ...scored[3], assertions: [{ type: "cost", passed: true }] }]);
      await append(side, run, [
        { ...scored[0], index: 10, attempt: 2 },
        { ...scored[0], index: 11, attempt: 3 },
      ]);
      await send(`GET /evals/runs/${run.id}`);
      await pages(side, `/evals/runs/${run.id}/results?limit=2`);
      await pages(side, `/evals/runs/${run.id}/results?limit=2&status=failed`);
      await send(`GET /evals/runs/${run.id}/results?status=none`);
      await end(side, run);
      await end(side, run);
      await end(side, run, { status: "failed" });
      await end(side, run, { error: "late" });
      await append(side, run, scored);
      await send(`GET /evals/runs/${run.id}`);
    }));

  test("end as they are reported to end, and are pinned one at a time", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "pinned");
      await commit(side, "pinned", "Two");
      const letters = ["pppp", "pppf", "ppse", "ssss", ""];
      for (const threshold of [undefined, 0.75, 0])
        for (const some of letters) {
          const run = await begin(side, "pinned", threshold === undefined ? {} : { threshold });
          if (some !== "") await append(side, run, resultsOf(some));
          await end(side, run, { verdict: "pass" });
          await end(side, run, { pinned: true });
          await end(side, run, { status: "completed", pinned: true });
          await end(side, run, { pinned: true });
        }
      for (const body of [
        { status: "failed", error: "No key" },
        { status: "failed", verdict: "fail", pinned: true },
        { status: "completed", verdict: "fail", error: null },
        { status: "completed", verdict: null },
        { status: "completed", surplus: 1 },
        {},
      ]) {
        const run = await begin(side, "pinned", { label: "latest" });
        await end(side, run, body);
        await end(side, run, { pinned: false });
        await end(side, run, body);
      }
      await send("GET /evals/runs?prompt=ada/pinned&limit=100");
    }),
  );

  test("are refused where they break a rule", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "unreported");
      for (const more of [
        { versionNumber: 9 },
        { versionNumber: undefined, label: "production" },
        { label: "latest" },
        { prompt: "ada/none" },
        { prompt: "ada" },
        { dataset: "Basics" },
        { datasetRevision: 1 },
        { model: "", threshold: 2, params: [], source: { url: "ftp://a" } },
      ])
        await begin(side, "unreported", more);
      const run = await begin(side, "unreported");
      await append(side, run, []);
      await append(side, run, [...resultsOf("p"), ...resultsOf("p")]);
      await append(side, run, resultsOf("p", { score: 2, attempt: 0, latencyMs: 1.5 }));
      await append(side, run, resultsOf("p", { output: "\0" }));
      const deep = "[".repeat(200);
      await send(`POST /evals/runs/${run.id}/results`, {
        body: deep,
        headers: { "content-type": "application/json" },
      });
      for (const id of ["none", "run_00000000000000000000000000"]) {
        await send(`GET /evals/runs/${id}`);
        await append(side, { id }, resultsOf("p"));
      }
      await send("GET /evals/runs");
      await send("GET /evals/runs?prompt=ada/none");
      await send("GET /evals/runs?prompt=ada/unreported&status=none&version=01&dataset=x");
      await send("GET /evals/runs?prompt=ada/unreported&cursor=none");
      await send(`DELETE /evals/runs/${run.id}`);
      await send(`DELETE /evals/runs/${run.id}`);
      await send(`GET /evals/runs/${run.id}`);
      await append(side, run, resultsOf("p"));
      await end(side, run);
    }));

  test("are known again by the id of who reports them, and by a key", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "known");
      await commit(side, "known", "Two");
      const first = await begin(side, "known", { externalId: "build-7" });
      await begin(side, "known", { externalId: "build-7", versionNumber: 2, model: "other" });
      await begin(side, "known", { externalId: "build-7", versionNumber: 9 });
      await send(`DELETE /evals/runs/${first.id}`);
      await begin(side, "known", { externalId: "build-7", versionNumber: 2 });
      await begin(side, "known", { externalId: null });
      const headers = { "idempotency-key": "run-1" };
      const long = {
        prompt: "ada/known",
        versionNumber: 1,
        model: "m",
        params: { text: "x".repeat(70_000) },
      };
      for (const body of [long, long, { ...long, model: "n" }])
        await send("POST /evals/runs", { headers, body });
      const { json } = await send("POST /evals/runs", { headers, body: long });
      await end(side, json);
      await send("POST /evals/runs", { headers, body: long });
      await send(`DELETE /evals/runs/${json.id}`);
      await send("POST /evals/runs", { headers, body: long });
      const run = await begin(side, "known");
      for (const letters of ["pf", "pf", "pp"])
        await send(`POST /evals/runs/${run.id}/results`, { headers, body: { results: resultsOf(letters) } });
    }),
  );

  test("change only as they were seen", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "watched");
      const run = await begin(side, "watched");
      const { headers } = await send(`GET /evals/runs/${run.id}`);
      const seen = headers.get("etag") ?? "";
      await send(`GET /evals/runs/${run.id}`, { headers: { "if-none-match": seen } });
      const matching = { "if-match": seen };
      const results = resultsOf("pf");
      for (let nth = 0; nth < 2; nth += 1)
        await send(`POST /evals/runs/${run.id}/results`, { headers: matching, body: { results } });
      await send(`POST /evals/runs/${run.id}/results`, { body: { results } });
      await send(`GET /evals/runs/${run.id}`, { headers: { "if-none-match": seen } });
      await send(`PATCH /evals/runs/${run.id}`, { headers: matching, body: { status: "completed" } });
      const { headers: now } = await send(`GET /evals/runs/${run.id}`);
      for (let nth = 0; nth < 2; nth += 1)
        await send(`PATCH /evals/runs/${run.id}`, {
          headers: { "if-match": now.get("etag") ?? "" },
          body: { status: "completed" },
        });
      await send("POST /evals/runs", {
        headers: { "if-match": '"9"' },
        body: { prompt: "ada/watched", versionNumber: 1, model: "m" },
      });
      await send(`DELETE /evals/runs/${run.id}`, { headers: matching });
    }));

  test("are listed by every filter, in pages", { tags: "long" }, () =>
    expectAlike(async (side) => {
      await create(side, "many");
      await commit(side, "many", "Two");
      const basics = await dataset(side, "many", { visibility: "public" });
      const hidden = await dataset(side, "many", { name: "Hidden" });
      for (const [nth, letters] of ["p", "f", "p", "e", "", "p", "f"].entries()) {
        const run = await begin(side, "many", {
          versionNumber: 1 + (nth % 2),
          model: nth % 3 === 0 ? "openai/gpt-5" : "none",
          ...(nth % 3 > 0 && { dataset: nth % 3 === 1 ? "Basics" : hidden.id }),
        });
        if (letters !== "") await append(side, run, resultsOf(letters));
        if (nth !== 2) await end(side, run, { status: nth === 4 ? "failed" : "completed" });
      }
      await side.send(`DELETE /evals/datasets/${basics.id}`);
      const token = await tokenOf(side, "bob");
      for (const as of [side.registry.token, token, null])
        for (const filter of [
          "",
          "&version=2",
          "&version=3",
          `&dataset=${basics.id}`,
          `&dataset=${hidden.id}`,
          "&dataset=none",
          "&model=none",
          "&status=running",
          "&status=failed",
          "&verdict=fail",
          "&version=1&status=completed&model=none",
        ])
          await pages(side, `/evals/runs?prompt=ada/many&limit=2${filter}`, as);
    }),
  );

  test("cut outputs between characters, and pages before they are too long", { tags: "long" }, () =>
    expectAlike(async (side) => {
      await create(side, "long");
      const run = await begin(side, "long");
      const whole = "x".repeat(65_536);
      const outputs = [whole, `${whole}x`, `${whole.slice(1)}é`, `\ufeff${"é".repeat(40_000)}`, ""];
      await append(
        side,
        run,
        outputs.map((output, index) => ({ ...resultsOf("p")[0], index, attempt: index + 1, output })),
      );
      await side.send(`GET /evals/runs/${run.id}/results`);
      // With the spaces that the database prints, 128 of them are 8 MiB to the byte.
      const assertions = [{ type: "a", passed: true }];
      const long = { output: "x".repeat(65_536 - 31), assertions };
      const other = await begin(side, "long");
      const results = Array.from({ length: 130 }, (_, nth) => ({
        ...resultsOf("p")[0],
        ...long,
        index: nth,
        attempt: nth + 1,
      }));
      await append(side, other, results);
      await pages(side, `/evals/runs/${other.id}/results?limit=500`);
      await append(
        side,
        run,
        results.map((result, nth) => ({ ...result, caseKey: `long-${nth}`, error: "é".repeat(nth) })),
      );
      await pages(side, `/evals/compare?a=${run.id}&b=${run.id}&limit=100`);
    }),
  );

  test("are seen by whoever sees the prompt, and in full by whoever may", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      const stranger = await tokenOf(side, "bob");
      const reporter = await tokenOf(side, "ada", "evals:write");
      const writer = await tokenOf(side, "ada", "write");
      for (const visibility of ["public", "private"]) {
        const slug = `shared-${visibility}`;
        await create(side, slug, { visibility });
        const open = await dataset(side, slug, { visibility: "public" });
        await dataset(side, slug, { name: "Hidden" });
        const about = { externalId: "x", source: { tool: "t" } };
        const runs: Run[] = [];
        for (const name of [undefined, "Hidden", "Basics"]) {
          const body = {
            prompt: `ada/${slug}`,
            versionNumber: 1,
            model: "m",
            ...(name && { dataset: name }),
            ...about,
          };
          for (const token of [stranger, null]) await send("POST /evals/runs", { body, token });
          await side.registry.clock.advance(1000);
          const { json: run } = await send("POST /evals/runs", {
            body: { ...body, externalId: `x-${name}` },
            token: reporter,
          });
          runs.push(run);
          const results = resultsOf("pfpp", {
            output: "secret",
            assertions: [{ type: "t", passed: true, score: 1 }],
          });
          for (const token of [stranger, reporter])
            await send(`POST /evals/runs/${run.id}/results`, { body: { results }, token });
          for (const token of [stranger, reporter, writer])
            await send(`PATCH /evals/runs/${run.id}`, { body: { status: "completed", error: "e" }, token });
          for (const token of [reporter, writer])
            await send(`PATCH /evals/runs/${run.id}`, { body: { pinned: true }, token });
        }
        const [none, hidden, shown] = runs as [Run, Run, Run];
        for (const token of [side.registry.token, stranger, reporter, null]) {
          for (const { id } of runs)
            for (const path of ["", "/results"]) await send(`GET /evals/runs/${id}${path}`, { token });
          for (const { id } of [none, hidden, shown])
            await send(`GET /evals/compare?a=${shown.id}&b=${id}`, { token });
          await send(`GET /evals/scores?prompt=ada/${slug}&dataset=none`, { token });
          await send(`GET /evals/scores?prompt=ada/${slug}&dataset=${open.id}`, { token });
        }
        for (const token of [stranger, reporter, writer])
          await send(`DELETE /evals/runs/${none.id}`, { token });
        await send(`PATCH /prompts/ada/${slug}`, { body: { slug: `${slug}-moved` } });
        await send(`GET /evals/runs?prompt=ada/${slug}`);
        await send(`GET /evals/runs/${shown.id}`);
        await send("POST /evals/runs", { body: { prompt: `ada/${slug}`, versionNumber: 1, model: "m" } });
        await send(`DELETE /prompts/ada/${slug}-moved`);
        for (const token of [side.registry.token, stranger])
          for (const path of [
            `/evals/runs/${shown.id}`,
            `/evals/runs?prompt=ada/${slug}`,
            `/evals/datasets/${open.id}`,
          ])
            await send(`GET ${path}`, { token });
      }
    }),
  );
});

describe("datasets", () => {
  test("are created, changed, listed and deleted", () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      await create(side, "cased");
      const stranger = await tokenOf(side, "bob");
      const writer = await tokenOf(side, "ada", "write");
      const open = await dataset(side, "cased", { visibility: "public", description: "What it must do" });
      for (const more of [
        {},
        { name: "basics" },
        { name: "É" },
        { name: "\u{1f600}" },
        { name: "\uffee" },
        { name: "" },
      ])
        await dataset(side, "cased", more);
      for (const token of [stranger, writer, null])
        await send("POST /evals/datasets", { body: { prompt: "ada/cased", name: "By another" }, token });
      for (const token of [registry.token, stranger, null])
        await pages(side, "/evals/datasets?prompt=ada/cased&limit=2", token);
      const path = `/evals/datasets/${open.id}`;
      await registry.clock.advance(1000);
      const change = (body: object, more: object = {}) => send(`PATCH ${path}`, { body, ...more });
      await change({ name: "Basics", description: "What it must do" });
      await change({ name: "basics" });
      await change({ name: "Basics 2", description: null });
      await change({ description: "By writer" }, { token: writer });
      await change({ description: "By a stranger" }, { token: stranger });
      const { headers } = await send(`GET ${path}`);
      const seen = headers.get("etag") ?? "";
      await send(`GET ${path}`, { headers: { "if-none-match": seen } });
      for (const name of ["Seen", "Not seen"]) await change({ name }, { headers: { "if-match": seen } });
      const run = await begin(side, "cased", { dataset: "Seen" });
      await change({ visibility: "private" });
      for (const token of [registry.token, stranger, null]) {
        await send(`GET ${path}`, { token });
        await send(`GET /evals/runs/${run.id}`, { token });
      }
      await change({ visibility: "public", name: "Renamed" });
      for (const token of [stranger, writer, writer]) await send(`DELETE ${path}`, { token });
      for (const token of [registry.token, stranger, null]) await send(`GET ${path}`, { token });
      await change({ name: "Gone" });
      await send(`GET /evals/runs/${run.id}`);
      for (const named of ["Renamed", "Seen", open.id]) await begin(side, "cased", { dataset: named });
      await dataset(side, "cased", { name: "Renamed" });
    }));

  test("have cases that are added, changed and deleted", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      await create(side, "tried");
      const stranger = await tokenOf(side, "bob");
      const writer = await tokenOf(side, "ada", "write");
      const set = await dataset(side, "tried", { visibility: "public" });
      const path = `/evals/datasets/${set.id}`;
      const whole = {
        key: "greets",
        variables: { surname: "é", name: "Ada", "": 1, deep: { bb: [1, null], a: 1.5e300 } },
        messages: [{ role: "user", content: "Hi" }],
        expected: { text: "Hello", length: 5 },
        assertions: [
          { type: "contains", value: "Hello" },
          { type: "odd", threshold: 0.5, weight: null },
        ],
        tags: ["b", "a"],
        weight: 2.5,
      };
      await addCases(side, set, [whole, {}, { key: "case-3" }, {}, { expected: "Hello", weight: 0 }]);
      await addCases(side, set, [{}, { key: "case-9" }, {}]);
      await addCases(side, set, [{ key: "new" }, { key: "greets" }, { key: "case-2" }]);
      await addCases(side, set, [{ key: "twice" }, {}, { key: "twice" }, { key: "twice" }]);
      await addCases(side, set, []);
      await addCases(side, set, [{ weight: -1, tags: ["A"], expected: 3 }]);
      await addCases(
        side,
        set,
        Array.from({ length: 12 }, (_, nth) => ({ assertions: [{ type: `odd ${nth}` }] })),
      );
      for (const token of [stranger, writer, null])
        await send(`POST ${path}/cases`, { body: { cases: [{}] }, token });
      await pages(side, `${path}/cases?limit=4`);
      await pages(side, `${path}/cases?limit=4&tag=a`, stranger);
      await send(`GET ${path}/cases?tag=A`);
      const { json } = await send(`GET ${path}/cases`);
      const [first, second] = json.items;
      const edit = (id: string, body: object, more: object = {}) =>
        send(`PATCH ${path}/cases/${id}`, { body, ...more });
      await registry.clock.advance(1000);
      await edit(first.id, { ...whole, assertions: whole.assertions });
      await edit(first.id, { variables: { b: 1, a: 2 }, messages: null, expected: null });
      await edit(first.id, { variables: { a: 2, b: 1 } });
      await edit(first.id, { key: second.key });
      await edit(first.id, { key: "greets", weight: 3, tags: [] });
      await edit(second.id, { weight: 1 }, { token: writer });
      await edit(second.id, { weight: 5 }, { token: stranger });
      await edit("ecs_00000000000000000000000000", { weight: 5 });
      const { headers } = await send(`GET ${path}`);
      const seen = { "if-match": headers.get("etag") ?? "" };
      for (const weight of [6, 7]) await edit(second.id, { weight }, { headers: seen });
      for (const token of [stranger, writer, writer])
        await send(`DELETE ${path}/cases/${second.id}`, { token });
      await send(`POST ${path}/cases`, { body: { cases: [{}] }, headers: seen });
      const key = { "idempotency-key": "cases-1" };
      const cases = Array.from({ length: 300 }, () => ({ variables: { text: "x".repeat(200) } }));
      const { json: added } = await send(`POST ${path}/cases`, { body: { cases }, headers: key });
      await send(`DELETE ${path}/cases/${added.items[7].id}`);
      await edit(added.items[8].id, { weight: 9 });
      await send(`POST ${path}/cases`, { body: { cases }, headers: key });
      await send(`GET ${path}`);
      await send(`DELETE ${path}`);
      await edit(first.id, { weight: 1 });
      await send(`GET ${path}/cases`);
    }),
  );

  test("are imported from files", () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      await create(side, "imported");
      const set = await dataset(side, "imported");
      const path = `POST /evals/datasets/${set.id}/import`;
      const stranger = await tokenOf(side, "bob");
      const load = (
        body: string,
        query = "",
        more: { type?: string; token?: string | null; key?: string } = {},
      ) => {
        const { type = "application/x-ndjson", token, key } = more;
        const headers = { "content-type": type, ...(key && { "idempotency-key": key }) };
        return send(`${path}${query}`, { body, headers, ...(token !== undefined && { token }) });
      };
      const lines = (...cases: object[]) => cases.map((one) => `${JSON.stringify(one)}\n`).join("");
      const first = lines(
        { key: "a", weight: 2, variables: { bb: 1, a: 2 } },
        {},
        { key: "c", assertions: [{ type: "odd" }] },
      );
      await load(first, "?dryRun=true");
      await load(first, "", { key: "file-1" });
      await load(first, "", { key: "file-1" });
      await load(first, "?mode=replace", { key: "file-1" });
      await load(first);
      await load(lines({ key: "a", weight: 2, variables: { a: 2, bb: 1 } }, { key: "d" }));
      await load(lines({ key: "a", weight: 3 }, { key: "e" }, { key: "c" }));
      await load(lines({ key: "a", weight: 3 }), "?dryRun=true");
      await load(
        `${lines({ key: "x" }, { key: "x" }, { weight: -1, surplus: 1 })}\n[1]\n{"a":\n${"[".repeat(101)}`,
      );
      for (const [body, more] of [
        ["", {}],
        [" \n", {}],
        ["a", { type: "text/plain" }],
        [lines({}), { token: stranger }],
        [lines({}), { token: null }],
        ["key;weight\n", { type: "text/csv" }],
        [
          'key,weight,name,tags,assert.contains,__expected\nrow,2,Ada,"a b",Hello,Hi\n,,Bob,,,\n',
          { type: "text/csv" },
        ],
        ['key\nrow,2\n"open', { type: "text/csv" }],
      ] as const)
        await load(body, "", more);
      await pages(side, `/evals/datasets/${set.id}/cases?limit=3`);
      await registry.clock.advance(1000);
      const second = lines(
        { key: "c", assertions: [{ type: "odd" }] },
        { key: "a", weight: 9 },
        {},
        { key: "new" },
      );
      for (const query of ["?mode=replace&dryRun=true", "?mode=replace", "?mode=replace", "?mode=other"])
        await load(second, query);
      await load(
        lines({ key: "a", weight: 9 }, { key: "c", assertions: [{ type: "odd" }] }),
        "?mode=replace",
      );
      await pages(side, `/evals/datasets/${set.id}/cases?limit=3`);
      await send(`GET /evals/datasets/${set.id}`);
      await addCases(side, set, [{}]);
    }));

  test("give results the weights that their cases had, and say which cases a run lacks", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "weighed");
      const set = await dataset(side, "weighed", { visibility: "public" });
      const { json } = await addCases(side, set, [
        { key: "a", weight: 3 },
        { key: "b", weight: 0 },
        { key: "c", weight: 0.1 },
        { key: "d", weight: 1e-30 },
        { key: "e", weight: 524_288.000_976_562_5 },
      ]);
      const run = await begin(side, "weighed", { dataset: "Basics", threshold: 0.9 });
      await append(side, run, resultsOf("pfpfpf", { score: 1 / 3 }));
      await send(`PATCH /evals/datasets/${set.id}/cases/${json.items[0].id}`, { body: { weight: 7 } });
      await append(side, run, resultsOf("p", { score: 1 / 3 }));
      await append(side, run, resultsOf("p", { score: 1 / 3 }));
      const again = resultsOf("ps", { attempt: 2 });
      await append(
        side,
        run,
        again.map((result, nth) => ({ ...result, index: 10 + nth })),
      );
      await send(`DELETE /evals/datasets/${set.id}/cases/${json.items[2].id}`);
      await send(`GET /evals/runs/${run.id}`);
      await send(`GET /evals/runs/${run.id}/results`);
      await end(side, run);
      for (const datasetRevision of [1, 3, 4, 5])
        await begin(side, "weighed", { dataset: set.id, datasetRevision });
      await ran(side, "weighed", "sssssppp", { dataset: "Basics" });
      await ran(side, "weighed", "ssssssff", { dataset: "Basics" });
      const unknown = await begin(side, "weighed", { dataset: "Basics" });
      await append(side, unknown, resultsOf("p", { caseKey: "unknown" }));
      await end(side, unknown);
      await send(`DELETE /evals/datasets/${set.id}`);
      await append(side, await begin(side, "weighed"), resultsOf("pf"));
      await send(`GET /evals/runs/${run.id}/results`);
    }));
});

describe("a comparison", () => {
  test("matches two runs case by case, and gives a verdict", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "compared");
      const before = await ran(side, "compared", "pppppppppppppppfff");
      const worse = await ran(side, "compared", "ffffffffppppppppffp");
      const same = await ran(side, "compared", "pppppppppppppppfff");
      const paths = [
        `a=${before.id}&b=${worse.id}`,
        `a=${before.id}&b=${same.id}`,
        `a=${worse.id}&b=${before.id}`,
      ];
      for (const path of paths) {
        await send(`GET /evals/compare?${path}`);
        await send(`GET /evals/compare?${path}`, { token: null });
        for (const maxDrop of ["0.05", "1", "0.2", "2", "x"])
          await send(`GET /evals/compare?${path}&maxDrop=${maxDrop}`);
        await pages(side, `/evals/compare?${path}&limit=4`);
        for (const only of [
          "changed",
          "fixed",
          "broken",
          "samePass",
          "sameFail",
          "onlyA",
          "onlyB",
          "errored",
        ])
          await pages(side, `/evals/compare?${path}&limit=3&only=${only}`);
        for (const key of ["a", "s", "none", "a&only=fixed"])
          await send(`GET /evals/compare?${path}&caseKey=${key}`);
      }
      const { json } = await send(`GET /evals/compare?${paths[0]}&limit=2`);
      await send(`GET /evals/compare?${paths[1]}&limit=2&cursor=${json.nextCursor}`);
      await send(`GET /evals/compare?${paths[0]}&only=fixed&cursor=${json.nextCursor}`);
    }),
  );

  test("says what cannot be compared", { tags: "long" }, () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "apart");
      await create(side, "other");
      const set = await dataset(side, "apart");
      await addCases(side, set, [{ key: "a" }]);
      const plain = await ran(side, "apart", "ppppp");
      const first = await ran(side, "apart", "ppppp", { dataset: "Basics" });
      await addCases(side, set, [{ key: "b", weight: 50 }]);
      const second = await ran(side, "apart", "ppppp", { dataset: "Basics" });
      const running = await begin(side, "apart");
      await append(side, running, resultsOf("ppf"));
      const failed = await begin(side, "apart");
      await end(side, failed, { status: "failed" });
      const few = await ran(side, "apart", "ppe");
      const missing = await ran(side, "apart", "pesff");
      const elsewhere = await ran(side, "other", "ppppp");
      const all = [plain, first, second, running, failed, few, missing, elsewhere];
      for (const a of all) for (const b of all) await send(`GET /evals/compare?a=${a.id}&b=${b.id}`);
      await send(`GET /evals/compare?a=${plain.id}&b=${elsewhere.id}&cursor=none`);
      await send(`GET /evals/compare?a=${plain.id}&b=run_00000000000000000000000000`);
      await send(`GET /evals/compare?a=${plain.id}&b=none`);
      await send(`GET /evals/compare?a=${plain.id}`);
    }),
  );

  test("counts attempts, weights, scores and the scores of assertions", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "scored");
      const set = await dataset(side, "scored");
      const keys = Array.from({ length: 30 }, (_, nth) => String.fromCharCode(97 + nth));
      await addCases(
        side,
        set,
        keys.map((key, nth) => ({ key, weight: nth % 4 })),
      );
      const runs: Run[] = [];
      for (const shift of [0, 1]) {
        const run = await begin(side, "scored", { dataset: "Basics" });
        for (const attempt of [1, 2]) {
          const results = resultsOf("pfpppfppeppspppppppppppppppppf").map((result, nth) => ({
            ...result,
            index: 100 * attempt + nth,
            attempt,
            score: ((nth + shift * attempt) % 4) / 4,
            assertions: Array.from({ length: nth % 3 }, (_, type) => ({
              type: `type ${(type + nth) % 23}`,
              passed: true,
              score: type === 2 ? null : (nth - shift) / 8,
            })),
          }));
          await append(side, run, attempt === 2 ? results.slice(0, 20 - shift) : results);
        }
        runs.push((await end(side, run)).json);
      }
      await send(`GET /evals/compare?a=${runs[0]?.id}&b=${runs[1]?.id}`);
      await send(`GET /evals/compare?a=${runs[1]?.id}&b=${runs[0]?.id}&maxDrop=0.1`);
    }));
});

test("scores are listed by version, model and dataset", { tags: "long" }, () =>
  expectAlike(async (side) => {
    const { send, registry } = side;
    await create(side, "tracked");
    for (const content of ["Two", "Three", "Four"]) await commit(side, "tracked", content);
    const set = await dataset(side, "tracked", { visibility: "public" });
    await addCases(side, set, [{ key: "a", weight: 2 }]);
    for (const [versionNumber, letters, more] of [
      [1, "pff", {}],
      [1, "ppf", { model: "B" }],
      [2, "ppf", {}],
      [2, "sss", { model: "B" }],
      [2, "fff", {}],
      [2, "ppp", { dataset: "Basics" }],
      [4, "pppp", {}],
      [4, "pf", { model: "B" }],
      [3, "pff", { dataset: "Basics", threshold: 0.1 }],
      [4, "ppe", { dataset: "Basics", datasetRevision: 1 }],
    ] as const) {
      const run = await ran(side, "tracked", letters, { versionNumber, ...more });
      if (letters !== "sss") await end(side, run, { pinned: true });
    }
    const failed = await begin(side, "tracked", { versionNumber: 4 });
    await end(side, failed, { status: "failed", verdict: "fail", pinned: true });
    await begin(side, "tracked", { versionNumber: 4 });
    const removed = await ran(side, "tracked", "f", { versionNumber: 3 });
    await send(`DELETE /evals/runs/${removed.id}`);
    const token = await tokenOf(side, "bob");
    for (const as of [registry.token, token, null])
      for (const filter of [
        "",
        "&version=2",
        "&version=9",
        "&model=B",
        `&dataset=${set.id}`,
        "&dataset=none",
        "&version=x",
      ])
        await pages(side, `/evals/scores?prompt=ada/tracked&limit=2${filter}`, as);
    await send(`DELETE /evals/datasets/${set.id}`);
    for (const as of [registry.token, token])
      for (const filter of ["", `&dataset=${set.id}`])
        await send(`GET /evals/scores?prompt=ada/tracked${filter}`, { token: as });
  }),
);

/** Numbers of a score or a weight: round ones, and any others. */
const share = fc.oneof(
  fc.constantFrom(0, 0.25, 0.5, 1),
  fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 });
const anyResult = fc.record({
  caseKey: fc.nat({ max: 15 }).map((nth) => `case-${nth}`),
  attempt: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom("passed", "passed", "passed", "failed", "failed", "errored", "skipped"),
  score: orNull(share),
  assertions: fc.array(
    fc.record({ type: fc.constantFrom("equals", "cost", "é"), passed: fc.boolean(), score: orNull(share) }),
    { maxLength: 3 },
  ),
  latencyMs: orNull(fc.nat({ max: 5_000 })),
  inputTokens: orNull(fc.nat({ max: 5_000 })),
  costUsd: orNull(share),
});
const anyRun = fc.record({
  hasDataset: fc.boolean(),
  threshold: share,
  batches: fc.array(
    fc.uniqueArray(anyResult, {
      selector: ({ caseKey, attempt }) => `${attempt} ${caseKey}`,
      minLength: 1,
      maxLength: 40,
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
const anyScene = fc.record({
  weights: fc.array(fc.oneof(fc.nat({ max: 5 }), share), { minLength: 1, maxLength: 12 }),
  runs: fc.tuple(anyRun, anyRun),
  maxDrop: fc.constantFrom("0", "0.05", "0.3"),
});

let scene = 0;
test("whatever runs report, both say the same of it", { tags: "long" }, () =>
  fc.assert(
    fc.asyncProperty(anyScene, async ({ weights, runs, maxDrop }) => {
      const slug = `any-${(scene += 1)}`;
      await expectAlike(async (side) => {
        const { send } = side;
        await create(side, slug);
        await commit(side, slug, "Two");
        const set = await dataset(side, slug);
        await addCases(
          side,
          set,
          weights.map((weight, nth) => ({ key: `case-${nth}`, weight })),
        );
        const ids: string[] = [];
        for (const [nth, { hasDataset, threshold, batches }] of runs.entries()) {
          const more = { threshold, versionNumber: nth + 1, ...(hasDataset && { dataset: "Basics" }) };
          const run = await begin(side, slug, more);
          for (const [after, batch] of batches.entries())
            await append(
              side,
              run,
              batch.map((result, index) => ({ ...result, index: 100 * after + index })),
            );
          await send(`GET /evals/runs/${run.id}`);
          await end(side, run);
          await send(`GET /evals/runs/${run.id}/results?limit=500`);
          ids.push(run.id);
        }
        for (const [a, b] of [ids, ids.toReversed()]) {
          await send(`GET /evals/compare?a=${a}&b=${b}&maxDrop=${maxDrop}`);
          await pages(side, `/evals/compare?a=${a}&b=${b}&only=changed&limit=4`);
        }
        await send(`GET /evals/runs?prompt=ada/${slug}`);
        await send(`GET /evals/scores?prompt=ada/${slug}`);
      });
    }),
    // To shrink a scene takes minutes.
    { numRuns: isThorough ? 100 : 4, endOnFailure: true },
  ),
);
