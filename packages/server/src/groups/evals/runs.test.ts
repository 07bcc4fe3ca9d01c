import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { selectRun, selectSilentRuns } from "./runs.sql.ts";
import { timeOutRuns } from "./time-out.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let ci: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  ci = await server.join("alice", { scopes: ["evals:write"] });
  await publish(alice, "graded");
});
afterAll(() => server.stop());

const start = (fields: object = {}, who: Person = ci) =>
  who.request("POST /evals/runs", {
    body: { prompt: "alice/graded", versionNumber: 1, model: "m", ...fields },
  });
const startedId = async (fields: object = {}) => (await start(fields)).json.id as string;
const append = (id: string, results: object[], who: Person = ci) =>
  who.request(`POST /evals/runs/${id}/results`, { body: { results } });
const update = (id: string, body: object, who: Person = ci) =>
  who.request(`PATCH /evals/runs/${id}`, { body });
const results = (...statuses: string[]) =>
  statuses.map((status, index) => ({ index, caseKey: `case-${index}`, status }));
const runsOf = async (slug: string) =>
  (await server.sql`select from eval_runs r join prompts p on p.id = r.prompt_id where p.slug = ${slug}`)
    .count;
const eventsOf = async (runId: string) =>
  (
    await server.sql<
      { body: Buffer }[]
    >`select body from events where name like 'eval.%' order by created_at, id`
  )
    .map(({ body }) => JSON.parse(String(body)))
    .filter(({ data }) => data.run.id === runId);

describe("a run", () => {
  test("begins running and empty, with its address in Location", async () => {
    const answer = await start({ params: { temperature: 0 }, threshold: 0.9, source: { tool: "promptfoo" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/evals/runs/${answer.json.id}`);
    expect(answer.json).toMatchObject({
      prompt: { ref: "alice/graded" },
      versionNumber: 1,
      model: "m",
      params: { temperature: 0 },
      status: "running",
      verdict: null,
      verdictSource: null,
      pinned: false,
      threshold: 0.9,
      summary: { total: 0, passRate: null, score: null, inputTokens: 0, costUsd: 0 },
      source: { tool: "promptfoo" },
      createdBy: { handle: "alice" },
      finishedAt: null,
    });
  });

  test.each([
    ["gpt-6-sol", "openai/gpt-6-sol"],
    ["openai/gpt-6-sol", "openai/gpt-6-sol"],
    ["openai:chat:GPT-6-sol", "openai/gpt-6-sol"],
    ["claude-haiku-4-5", "anthropic/claude-haiku-4-5-20251001"],
    ["azure/gpt-6-sol", null],
    ["m", null],
  ])("of the model %s has the id %s of the catalogue", async (model, modelId) => {
    const { json } = await start({ model });
    expect(json).toMatchObject({ model, modelId });
  });

  test("is for the version that a label points to when it begins", async () => {
    await publish(alice, "labelled");
    const commit = { files: filesOf("two"), labels: ["staging"] };
    await alice.request("POST /prompts/alice/labelled/versions", { body: commit });
    const versionOf = async (label: string) =>
      (await start({ prompt: "alice/labelled", versionNumber: undefined, label })).json.versionNumber;
    await alice.request("PUT /prompts/alice/labelled/labels/production", { body: { versionNumber: 1 } });
    expect([await versionOf("production"), await versionOf("staging"), await versionOf("latest")]).toEqual([
      1, 2, 2,
    ]);
  });

  test("exists once for each externalId of a prompt", async () => {
    const first = await start({ externalId: "build-1" });
    const again = await start({ externalId: "build-1", model: "other" });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    await publish(alice, "other");
    expect((await start({ prompt: "alice/other", externalId: "build-1" })).status).toBe(201);
  });

  test("exists once if ten reporters begin it at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => start({ externalId: "build-2" })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  });

  test("is shown whole again under its Idempotency-Key, however long it is", async () => {
    const fields = { source: { tool: "ci" }, params: { text: "x".repeat(70_000) } };
    const body = { prompt: "alice/graded", versionNumber: 1, model: "m", ...fields };
    const send = () => ci.request("POST /evals/runs", { body, headers: { "idempotency-key": "long-run" } });
    const [first, second] = [await send(), await send()];
    expect([second.headers.get("idempotency-replayed"), second.json]).toEqual(["true", first.json]);
    expect(second.json).toMatchObject(fields);
  });

  test("is refused by the field that is missing", async () => {
    const pathOf = async (fields: object) => (await start(fields)).json.error.details[0].path;
    expect(await pathOf({ versionNumber: undefined })).toBe("/versionNumber");
    expect(await pathOf({ datasetRevision: 1 })).toBe("/datasetRevision");
  });

  test("that was deleted since it was found is not shown", async () => {
    const id = await startedId();
    const shown = () => selectRun(server.sql, { id, publicUrl: server.url, isOwner: true });
    expect(JSON.parse(await shown())).toMatchObject({ id });
    await server.sql`update eval_runs set deleted_at = clock() where id = ${id}`;
    await expect(shown()).rejects.toMatchObject({ code: "not_found" });
  });

  test("without an externalId is new each time", async () => {
    expect(await startedId({ externalId: null })).not.toBe(await startedId({ externalId: null }));
  });

  test.for<[string, object, number, string]>([
    ["a version that is not there", { versionNumber: 2 }, 404, "not_found"],
    ["a label that is not there", { versionNumber: undefined, label: "nobody" }, 404, "not_found"],
    ["a prompt that is not there", { prompt: "alice/nothing" }, 404, "not_found"],
    ["a version and a label", { label: "latest" }, 422, "validation_failed"],
    ["neither version nor label", { versionNumber: undefined }, 422, "validation_failed"],
    ["a prompt with a version in its name", { prompt: "alice/graded@1" }, 422, "validation_failed"],
    ["a prompt that is no name", { prompt: "../graded" }, 422, "validation_failed"],
    ["a prompt that is a list", { prompt: ["alice/graded"] }, 422, "validation_failed"],
    ["a threshold above 1", { threshold: 1.01 }, 422, "validation_failed"],
    ["a huge version", { versionNumber: 1e21 }, 422, "validation_failed"],
    ["params that are a list", { params: [] }, 422, "validation_failed"],
    ["NUL in params", { params: { a: [{ b: "\0" }] } }, 422, "validation_failed"],
    ["half a surrogate pair in a key of params", { params: { "\ud800": 1 } }, 422, "validation_failed"],
    ["a source that is a script", { source: { url: "javascript:alert(1)" } }, 422, "validation_failed"],
    ["an empty externalId", { externalId: "" }, 422, "validation_failed"],
    ["an unknown field", { treshold: 1 }, 422, "validation_failed"],
  ])("does not begin for %s", async ([, fields, status, code]) => {
    const before = await runsOf("graded");
    expect(codeOf(await start(fields))).toEqual([status, code]);
    expect(await runsOf("graded")).toBe(before);
  });

  test.for([
    ["deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["a number that is not finite", '{"a":[1e400]}'],
  ])("does not begin with params that contain something %s", async ([, params]) => {
    const body = `{"prompt":"alice/graded","versionNumber":1,"model":"m","params":${params}}`;
    const answer = await ci.request("POST /evals/runs", {
      body,
      headers: { "content-type": "application/json" },
    });
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
  });

  test("does not begin on a draft or a deleted prompt", async () => {
    await publish(alice, "draft", { publish: false });
    expect(codeOf(await start({ prompt: "alice/draft" }))).toEqual([409, "prompt_not_published"]);
    await publish(alice, "deleted");
    const runId = await startedId({ prompt: "alice/deleted" });
    await server.sql`update prompts set deleted_at = clock() where slug = 'deleted'`;
    expect(codeOf(await start({ prompt: "alice/deleted" }))).toEqual([410, "gone"]);
    expect(codeOf(await append(runId, results("passed")))).toEqual([410, "gone"]);
    expect(codeOf(await update(runId, { status: "completed" }))).toEqual([410, "gone"]);
  });

  test("can be reported only by the prompt's owner, with the right scope", async () => {
    const runId = await startedId();
    for (const answer of [
      await start({}, bob),
      await append(runId, results("passed"), bob),
      await update(runId, { status: "completed" }, bob),
    ]) {
      expect(codeOf(answer)).toEqual([403, "forbidden"]);
    }
    const reader = await server.join("alice", { scopes: ["read"] });
    expect(codeOf(await start({}, reader))).toEqual([403, "token_scope"]);
    expect((await start({}, alice)).status).toBe(201);
  });

  test("of a private prompt is not found by others", async () => {
    await publish(alice, "secret", { visibility: "private" });
    const runId = await startedId({ prompt: "alice/secret" });
    const headers = { "x-request-id": "same-for-both" };
    const seen = ({ status, text }: Answer) => [status, text];
    const absent = "run_00000000000000000000000000";
    const ask = (id: string) => bob.request(`PATCH /evals/runs/${id}`, { body: { pinned: true }, headers });
    expect(seen(await ask(runId))).toEqual(seen(await ask(absent)));
    const begin = (prompt: string) =>
      bob.request("POST /evals/runs", { body: { prompt, versionNumber: 1, model: "m" }, headers });
    expect(seen(await begin("alice/secret"))).toEqual(seen(await begin("alice/absent")));
  });

  test.for(["run_x", "prm_00000000000000000000000000", "%00", "RUN_00000000000000000000000000"])(
    "is not found under %s",
    async (id) => {
      expect(codeOf(await update(id, { status: "completed" }))).toEqual([404, "not_found"]);
    },
  );
});

describe("results", () => {
  test("are counted, and summed up when the run ends", async () => {
    const id = await startedId({ threshold: 0.5 });
    const batch = [
      {
        index: 0,
        caseKey: "a",
        status: "passed",
        score: 1,
        latencyMs: 100,
        inputTokens: 10,
        outputTokens: 1,
        costUsd: 0.25,
      },
      {
        index: 1,
        caseKey: "b",
        status: "failed",
        score: 0,
        latencyMs: 300,
        inputTokens: 20,
        outputTokens: 2,
        costUsd: 0.5,
      },
      { index: 2, caseKey: "c", status: "skipped" },
    ];
    expect((await append(id, batch)).json).toEqual({ appended: 3, total: 3 });
    expect((await update(id, { status: "completed" })).json).toMatchObject({
      status: "completed",
      verdict: "pass",
      verdictSource: "computed",
      summary: {
        total: 3,
        passed: 1,
        failed: 1,
        errored: 0,
        skipped: 1,
        cases: 2,
        passRate: 0.5,
        score: 0.5,
        latencyMsP50: 200,
        latencyMsP95: 290,
        inputTokens: 30,
        outputTokens: 3,
        costUsd: 0.75,
      },
    });
  });

  test("of the same case and attempt replace the earlier ones", async () => {
    const id = await startedId();
    await append(id, results("failed", "passed"));
    const again = { index: 0, caseKey: "case-0", status: "passed" };
    expect((await append(id, [again])).json).toEqual({ appended: 1, total: 2 });
    expect((await append(id, [{ ...again, attempt: 2 }])).json).toEqual({ appended: 1, total: 3 });
    expect((await update(id, { status: "completed" })).json.summary).toMatchObject({ passed: 3, failed: 0 });
  });

  test("of the same case and attempt twice in one batch are refused", async () => {
    const id = await startedId();
    const twice = { index: 0, caseKey: "a", status: "passed" };
    expect(codeOf(await append(id, [twice, { ...twice, attempt: 1 }]))).toEqual([422, "validation_failed"]);
  });

  test("come in batches of at most a thousand, which are stored whole or not at all", async () => {
    const id = await startedId();
    const many = (count: number) => results(...Array.from({ length: count }, () => "passed"));
    expect((await append(id, many(1_000))).json).toEqual({ appended: 1_000, total: 1_000 });
    expect(codeOf(await append(id, many(1_001)))).toEqual([422, "validation_failed"]);
    expect(codeOf(await append(id, []))).toEqual([422, "validation_failed"]);
    const oneWrong = [
      { index: 0, caseKey: "new", status: "passed" },
      { index: 1, caseKey: "newer", status: "perhaps" },
    ];
    expect(codeOf(await append(id, oneWrong))).toEqual([422, "validation_failed"]);
    expect((await server.sql`select from eval_results where run_id = ${id}`).count).toBe(1_000);
  });

  test("have at most 64 KiB of an output, cut between characters", async () => {
    const id = await startedId();
    const output = `\ufeff${"€".repeat(30_000)}`;
    const longest = "x".repeat(64 * 1024);
    await append(id, [
      { index: 0, caseKey: "long", status: "passed", output },
      { index: 1, caseKey: "short", status: "passed", output: "€" },
      { index: 2, caseKey: "longest", status: "passed", output: longest },
    ]);
    const rows = await server.sql`
      select output, output_truncated as "isCut" from eval_results where run_id = ${id} order by index`;
    expect(rows).toEqual([
      { output: output.slice(0, 1 + 21_844), isCut: true },
      { output: "€", isCut: false },
      { output: longest, isCut: false },
    ]);
  });

  test.for<[string, object]>([
    ["NUL in an output", { output: "\0" }],
    ["half a surrogate pair in a case's key", { caseKey: "\udfff" }],
    ["a score above 1", { score: 1.5 }],
    ["a negative index", { index: -1 }],
    ["an index that is no integer", { index: 0.5 }],
    ["more tokens than fit", { inputTokens: 2 ** 31 }],
    ["an unknown field", { passed: true }],
  ])("are refused for %s", async ([, fields]) => {
    const id = await startedId();
    const answer = await append(id, [{ index: 0, caseKey: "a", status: "passed", ...fields }]);
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
  });

  test("are refused after the run has ended", async () => {
    const id = await startedId();
    await update(id, { status: "failed", error: "no key" });
    expect(codeOf(await append(id, results("passed")))).toEqual([409, "run_finished"]);
  });

  test("that come at the end of the run are either in its summary or refused", async () => {
    const id = await startedId();
    const [ended, ...appended] = await Promise.all([
      update(id, { status: "completed" }),
      ...Array.from({ length: 8 }, (_, i) => append(id, [{ index: i, caseKey: `c${i}`, status: "passed" }])),
    ]);
    const taken = appended.filter(({ status }) => status === 200).length;
    expect(ended.json.summary.total).toBe(taken);
    expect((await server.sql`select from eval_results where run_id = ${id}`).count).toBe(taken);
  });
});

describe("the verdict", () => {
  test.for<[string, number, string[], string | null]>([
    ["all passed", 1, ["passed", "passed"], "pass"],
    ["one failed of a threshold of 1", 1, ["passed", "failed"], "fail"],
    ["as many passed as the threshold asks", 0.5, ["passed", "failed"], "pass"],
    ["enough passed, but one errored", 0.5, ["passed", "passed", "errored"], "fail"],
    ["skipped ones do not count", 1, ["passed", "skipped"], "pass"],
    ["nothing counted", 1, ["skipped"], null],
    ["there are no results", 1, [], null],
  ])("when %s", async ([, threshold, statuses, verdict]) => {
    const id = await startedId({ threshold });
    if (statuses.length > 0) await append(id, results(...statuses));
    const { json } = await update(id, { status: "completed" });
    expect([json.verdict, json.verdictSource]).toEqual([verdict, verdict && "computed"]);
  });

  test("that is reported wins", async () => {
    const id = await startedId();
    await append(id, results("passed"));
    const { json } = await update(id, { status: "completed", verdict: "fail" });
    expect([json.verdict, json.verdictSource]).toEqual(["fail", "reported"]);
  });
});

describe("the end of a run", () => {
  test("emits one event, with the summary", async () => {
    const id = await startedId({ source: { tool: "ci" } });
    await append(id, results("passed"));
    const { json } = await update(id, { status: "completed" });
    const [event, ...more] = await eventsOf(id);
    expect(more).toEqual([]);
    expect(event.event).toBe("eval.run.completed");
    expect(Object.keys(event.data)).toEqual(["prompt", "actor", "run"]);
    expect(event.data.prompt).toMatchObject({ ref: "alice/graded", url: `${server.url}/alice/graded` });
    const told = [
      "id",
      "versionNumber",
      "model",
      "dataset",
      "status",
      "verdict",
      "threshold",
      "summary",
      "source",
    ];
    expect(event.data.run).toEqual({
      ...Object.fromEntries([...told, "finishedAt"].map((name) => [name, json[name]])),
      url: `${server.url}/api/v1/evals/runs/${id}`,
    });
  });

  test("by failure emits an event with the error, and has no verdict", async () => {
    const id = await startedId();
    const { json } = await update(id, { status: "failed", error: "The provider answered 401." });
    expect(json).toMatchObject({ status: "failed", verdict: null, error: "The provider answered 401." });
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      event: "eval.run.failed",
      data: { run: { status: "failed", verdict: null, error: { message: "The provider answered 401." } } },
    });
  });

  test("repeated has no effect, and a different one is a conflict", async () => {
    const id = await startedId();
    const ending = { status: "completed", verdict: "pass", error: null };
    const first = await update(id, ending);
    expect((await update(id, ending)).json).toEqual(first.json);
    expect((await update(id, { status: "completed" })).json).toEqual(first.json);
    for (const other of [{ status: "failed" }, { status: "completed", verdict: "fail" }, { error: "late" }]) {
      expect(codeOf(await update(id, other))).toEqual([409, "run_finished"]);
    }
    expect((await eventsOf(id)).length).toBe(1);
  });

  test("comes by itself after a day without a report", async () => {
    await server.setClock("2030-01-01T12:00:00.000Z");
    const [silent, heard] = [await startedId(), await startedId()];
    const foundSilent = async () =>
      (await selectSilentRuns(server.sql)).filter((id) => [silent, heard].includes(id));
    await server.setClock("2030-01-02T12:00:00.000Z");
    await append(heard, results("passed"));
    await timeOutRuns(server.context);
    expect(await eventsOf(silent)).toEqual([]);
    expect(await foundSilent()).toEqual([]);
    await server.setClock("2030-01-02T12:00:00.001Z");
    await Promise.all([timeOutRuns(server.context), timeOutRuns(server.context)]);
    expect(await eventsOf(silent)).toMatchObject([
      {
        event: "eval.run.failed",
        data: { actor: null, run: { status: "failed", error: { message: "timed_out" } } },
      },
    ]);
    expect(codeOf(await append(silent, results("passed")))).toEqual([409, "run_finished"]);
    expect((await append(heard, results("passed"))).status).toBe(200);
    // Ended ones would keep those out that wait to be ended.
    expect(await foundSilent()).toEqual([]);
  });

  test("does not come by itself if a report arrives at the last moment", async () => {
    await server.setClock("2030-02-01T12:00:00.000Z");
    const id = await startedId();
    await server.setClock("2030-02-02T12:00:00.001Z");
    await server.atOnce(
      (sql) => sql`update eval_runs set heard_at = clock() - interval '24 hours' where id = ${id}`,
      [() => timeOutRuns(server.context) as Promise<never>],
    );
    expect(await eventsOf(id)).toEqual([]);
    expect((await append(id, results("passed"))).status).toBe(200);
  });

  test("happens once if two report it at once", async () => {
    const id = await startedId();
    const answers = await Promise.all([
      update(id, { status: "completed" }),
      update(id, { status: "failed" }),
    ]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect((await eventsOf(id)).length).toBe(1);
  });

  test("is needed for a verdict or an error", async () => {
    const id = await startedId();
    for (const body of [{ verdict: "pass" }, { error: "why" }]) {
      expect(codeOf(await update(id, body))).toEqual([422, "validation_failed"]);
    }
  });
});

describe("pinning", () => {
  test("allows one pinned run for a version and model", async () => {
    const ids = [await startedId({ model: "pin" }), await startedId({ model: "pin" })];
    for (const id of ids) await update(id, { status: "completed", verdict: "pass" });
    const answers = await server.atOnce(
      (sql) => sql`select from prompts where slug = 'graded' for no key update`,
      ids.map((id) => () => update(id, { pinned: true }, alice)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const pinned = () => server.sql`select from eval_runs where model = 'pin' and pinned`;
    expect((await pinned()).count).toBe(1);
    for (const id of ids) expect((await update(id, { pinned: false }, alice)).json.pinned).toBe(false);
    expect((await pinned()).count).toBe(0);
  });

  test("can come with the end of the run", async () => {
    const id = await startedId({ model: "pin-at-end" });
    const { json } = await update(id, { status: "completed", verdict: "pass", pinned: true }, alice);
    expect(json).toMatchObject({ status: "completed", pinned: true });
  });

  test("changes no ETag of what is pinned already, nor of a run that was not pinned", async () => {
    const [pinned, other] = [await startedId({ model: "twice" }), await startedId({ model: "twice" })];
    for (const id of [other, pinned]) await update(id, { status: "completed", verdict: "pass" });
    const etags = () =>
      Promise.all(
        [pinned, other].map(async (id) => (await ci.request(`GET /evals/runs/${id}`)).headers.get("etag")),
      );
    const [before, ofOther] = await etags();
    await update(pinned, { pinned: true }, alice);
    const [after] = await etags();
    expect(after).not.toBe(before);
    await update(pinned, { pinned: true }, alice);
    expect(await etags()).toEqual([after, ofOther]);
  });

  test("needs the scope write, and without it nothing of the request is applied", async () => {
    const id = await startedId();
    const answer = await update(id, { status: "completed", verdict: "pass", pinned: true }, ci);
    expect(codeOf(answer)).toEqual([403, "token_scope"]);
    expect(await eventsOf(id)).toEqual([]);
    expect(await server.sql`select status from eval_runs where id = ${id}`).toEqual([{ status: "running" }]);
  });

  test("needs the scope write to unpin too", async () => {
    const id = await startedId({ model: "unpin" });
    await update(id, { status: "completed", verdict: "pass", pinned: true }, alice);
    expect(codeOf(await update(id, { pinned: false }, ci))).toEqual([403, "token_scope"]);
    expect(await server.sql`select pinned from eval_runs where id = ${id}`).toEqual([{ pinned: true }]);
  });

  test("needs a verdict", async () => {
    const id = await startedId();
    expect(codeOf(await update(id, { pinned: true }, alice))).toEqual([422, "validation_failed"]);
  });
});
