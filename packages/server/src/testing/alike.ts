import { type Client, createClient } from "@promptreg/client";
import { createTestRegistry, type TestRegistry } from "@promptreg/client/testing";
import { validateAnswer } from "@promptreg/client/validate";
import type { Scope } from "@promptreg/core";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { exchange } from "../../test/requests.ts";
import { type Registry, startRegistry } from "./index.ts";

// The registry of @promptreg/client/testing cannot lie: whatever is done here is done with it and with the server, and they
// answer the same.

/** What both have. Only the server has work that waits for its worker. */
type EitherRegistry = Omit<TestRegistry, "webhookSecret" | "deliveries"> & Partial<Pick<Registry, "deliver">>;

export interface Sending {
  body?: unknown;
  headers?: Record<string, string>;
  /** The owner's when absent; null for none. */
  token?: string | null;
  redirect?: RequestRedirect;
}

/** One of the two, and what was seen of it. */
export interface Side {
  registry: EitherRegistry;
  client: Client;
  send: (route: string, sending?: Sending) => ReturnType<typeof exchange>;
  /** Puts something beside the answers. */
  note: (seen: unknown) => void;
}

/** Both registries, for a test file: it has the same of each. */
export function bothRegistries() {
  const both = {} as { server: Registry; memory: TestRegistry };
  beforeAll(async () => {
    both.server = await startRegistry({ databaseUrl: inject("postgres").url });
    both.memory = createTestRegistry();
    for (const { clock } of [both.server, both.memory]) await clock.set("2031-05-01T12:00:00Z");
  });
  afterAll(async () => {
    await both.server.close();
    await both.memory.close();
  });
  /** Does the same with both, and compares all that is answered: ids, tags and cursors by where they come again. */
  const expectAlike = async (work: (side: Side) => Promise<unknown>): Promise<void> => {
    const [light, real] = [await transcript(both.memory, work), await transcript(both.server, work)];
    expect(light).toEqual(real);
  };
  return { both, expectAlike, create, commit, move, tokenOf };
}

async function transcript(registry: EitherRegistry, work: (side: Side) => Promise<unknown>) {
  const seen: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await registry.fetch(input, init);
    const text = await response.clone().text();
    const isJson = text !== "" && response.headers.get("content-type") === "application/json";
    const { status, headers, redirected, url } = response;
    const json: unknown = isJson ? JSON.parse(text) : undefined;
    const operation = registry.requests.at(-1)?.operation;
    if (operation && response.ok && isJson) validateAnswer(operation, response, json);
    seen.push({
      status,
      headers: Object.fromEntries(headers),
      redirected,
      url,
      ...(isJson ? { json } : { text }),
    });
    return response;
  };
  const send: Side["send"] = async (
    route,
    { body, headers = {}, token = registry.token, redirect = "follow" } = {},
  ) => {
    const isJson = body !== undefined && { "content-type": "application/json" };
    const call = { token: token ?? undefined, headers: { ...isJson, ...headers }, body, redirect };
    return exchange(registry.baseUrl, route, call, fetch);
  };
  const client = createClient({ ...registry, token: registry.token, fetch, retries: 0 });
  const note: Side["note"] = (it) => void seen.push(it);
  await work({ registry, client, send, note });
  return named(seen);
}

/** Ids, tags, request ids, cursors and signatures, and when it was before a test set the clock. */
const random = new RegExp(
  [
    String.raw`\b(?:usr|tok|prm|ver|evt|dlv|eds|ecs|run|res)_[0-9a-z]{26}`,
    String.raw`(?<=[."])[\w-]{27}(?=\\?")`,
    String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
    String.raw`(?<=cursor=|"nextCursor":")[\w-]+`,
    String.raw`t=\d+,v1=[0-9a-f]{64}`,
    String.raw`20(?!31)\d\d-[\d-]+T[\d:.]+Z`,
  ].join("|"),
  "g",
);

/** Numbers what is drawn at random, so that equal things stay equal. The last digits of a sum depend on the database's plan. */
export function named(seen: unknown): unknown {
  const names = new Map<string, string>();
  const text = JSON.stringify(seen).replace(random, (found) => {
    const name = names.get(found) ?? `#${names.size}`;
    names.set(found, name);
    return name;
  });
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === "number" ? Number(value.toFixed(10)) : value,
  );
}

export const text = (content: string) => [{ path: "PROMPT.md", content }];
export const about = (slug: string, more: object = {}) => ({
  kind: "text",
  slug,
  title: "Greeting",
  visibility: "public",
  files: text("Hello {{name}}"),
  ...more,
});
const create = ({ send }: Side, slug: string, more: object = {}) =>
  send("POST /prompts", { body: about(slug, more) });
const commit = ({ send }: Side, slug: string, content: string, more: object = {}) =>
  send(`POST /prompts/ada/${slug}/versions`, { body: { files: text(content), ...more } });
const move = ({ send }: Side, slug: string, name: string, versionNumber: number, more: object = {}) =>
  send(`PUT /prompts/ada/${slug}/labels/${name}`, { body: { versionNumber, ...more } });
const tokenOf = async ({ registry }: Side, handle: string, ...scopes: Scope[]) =>
  (await registry.createAccount(handle, scopes.length > 0 ? { scopes } : {})).token;
