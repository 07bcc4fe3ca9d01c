import { describe, expectTypeOf, test } from "vitest";
import {
  type Answered,
  type Client,
  createClient,
  type Diff,
  type Label,
  type List,
  type ListedChange,
  type ListedChanges,
  type ListedVersion,
  type Me,
  type Page,
  type Prompt,
  type PromptSummary,
  type ResolvedVersion,
  type Run,
  type RunComparison,
  type WriteOnlyClient,
} from "./index.ts";

const client: Client = createClient({
  fetch: async () => Response.json({}, { headers: { "x-request-id": "req-1" } }),
});
type Input<M extends (...args: never) => unknown> = Parameters<M>[0];

describe("the types of an operation", () => {
  test("put path parameters flat, query and body by name", () => {
    expectTypeOf<Input<typeof client.prompts.labels.put>>().toEqualTypeOf<{
      owner: string;
      slug: string;
      name: string;
      body: { versionNumber: number; reason?: string | null; expectedVersionNumber?: number | null };
    }>();
  });

  test("make a query optional that may be empty, and the whole input if all of it may be", () => {
    expectTypeOf(client.prompts.get).toBeCallableWith({ owner: "ada", slug: "reply" });
    expectTypeOf(client.users.me.get).toBeCallableWith();
  });

  test("make a body optional if all of its fields are", () => {
    expectTypeOf(client.changeRequests.merge).toBeCallableWith({ owner: "ada", slug: "reply", n: 1 });
    expectTypeOf<{ owner: string; slug: string }>().not.toExtend<Input<typeof client.prompts.create>>();
  });

  test("say what a call returns", () => {
    expectTypeOf(client.users.me.get).returns.resolves.toEqualTypeOf<Me>();
    const at = { owner: "ada", slug: "reply" };
    const { get } = client.prompts;
    expectTypeOf(get(at)).resolves.toEqualTypeOf<Prompt>();
    expectTypeOf(get({ ...at, query: { version: 1 } })).resolves.toEqualTypeOf<Prompt>();
    expectTypeOf(get({ ...at, query: { view: "version" } })).resolves.toEqualTypeOf<ResolvedVersion>();
    const view = "full" as "full" | "version";
    expectTypeOf(get({ ...at, query: { view } })).resolves.toEqualTypeOf<Prompt | ResolvedVersion>();
    expectTypeOf(client.prompts.labels.put).returns.resolves.toEqualTypeOf<Label>();
    expectTypeOf(client.prompts.labels.delete).returns.resolves.toEqualTypeOf<undefined>();
    const blind = createClient<WriteOnlyClient>();
    expectTypeOf(blind.prompts.labels.put).returns.resolves.toEqualTypeOf<Label | undefined>();
    expectTypeOf(client.evals.runs.create).returns.resolves.toEqualTypeOf<Run>();
    expectTypeOf(client.prompts.raw.get).returns.resolves.toEqualTypeOf<Response>();
  });

  test("return data for the default media type, and the response for any other", () => {
    const range = { owner: "ada", slug: "reply", range: "1..2" };
    expectTypeOf(client.prompts.diff(range)).resolves.toEqualTypeOf<Diff>();
    expectTypeOf(client.prompts.diff(range, { headers: {} })).resolves.toEqualTypeOf<Diff>();
    expectTypeOf(client.prompts.diff(range, { accept: "text/x-diff" })).resolves.toEqualTypeOf<Response>();
    // @ts-expect-error -- a type that it does not have
    expectTypeOf(client.prompts.diff(range, { accept: "text/html" })).not.toBeAny();
    // @ts-expect-error -- an operation that has no other
    expectTypeOf(client.users.me.get({}, { accept: "text/plain" })).not.toBeAny();
  });

  test("let a list, and only a list, be iterated", () => {
    expectTypeOf(client.prompts.list()).toEqualTypeOf<List<PromptSummary>>();
    expectTypeOf(client.evals.compare).returns.resolves.toEqualTypeOf<RunComparison>();
    expectTypeOf(client.prompts.list({ query: { owner: "ada" } })).resolves.toEqualTypeOf<
      Page<PromptSummary>
    >();
    expectTypeOf(client.prompts.list({ query: { owner: "ada", view: "version" } })).toEqualTypeOf<
      List<ListedVersion>
    >();
    expectTypeOf(client.prompts.list({ query: { owner: "ada", view: "changes" } })).toEqualTypeOf<
      List<ListedChange, ListedChanges>
    >();
    expectTypeOf(client.prompts.get).returns.not.toExtend<AsyncIterable<unknown>>();
  });

  test("give the response with the same data", () => {
    expectTypeOf(client.users.me.get().withResponse()).resolves.toEqualTypeOf<Answered<Me>>();
    expectTypeOf(
      client.prompts.raw.get({ owner: "ada", slug: "reply" }).withResponse(),
    ).resolves.toEqualTypeOf<Answered<Response>>();
  });

  test("know only operations of the contract", () => {
    expectTypeOf(client.prompts).not.toHaveProperty("explode");
  });
});
