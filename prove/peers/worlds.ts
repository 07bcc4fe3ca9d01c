import { createClient } from "@promptreg/client";
import { startRegistry } from "@promptreg/server/testing";
import { LangfuseClient } from "@langfuse/client";
import { type Front, openFront } from "./front.ts";
import { langfusePrompt } from "./stubs.ts";

/** One registry with one prompt, `reply`, whose label `production` an application follows. */
export interface World {
  readonly front: Front;
  /** Begins an application, as a process does that has nothing in memory. */
  start(): App;
  /** Moves the label, or removes it. */
  move(version: 1 | 2 | null): Promise<unknown>;
  deletePrompt(): Promise<unknown>;
  revokeToken(): Promise<unknown>;
  close(): Promise<void>;
}

export interface App {
  /** What it would send to a model, and what it is told of that. */
  ask(): Promise<string>;
  /** Resolves when nothing is being asked any more. */
  settle(): Promise<void>;
}

const contents = { 1: "One for {{name}}.", 2: "Two for {{name}}." };
const fallback = "The fallback.";

/** Our client, on the real server. */
export async function promptregWorld(): Promise<World> {
  const registry = await startRegistry();
  const owner = createClient(registry);
  const reply = { owner: "ada", slug: "reply" };
  const filesOf = (content: string) => [{ path: "PROMPT.md", content }];
  await owner.prompts.create({
    body: { kind: "text", slug: "reply", title: "Reply", visibility: "public", files: filesOf(contents[1]) },
  });
  await owner.prompts.versions.create({ ...reply, body: { files: filesOf(contents[2]) } });
  const { token } = await registry.createAccount("reader", { scopes: ["read"] });
  const front = await openFront((request) => {
    const { pathname, search } = new URL(request.url);
    return registry.fetch(registry.baseUrl + pathname + search, {
      headers: request.headers,
      redirect: "manual",
    });
  });
  return {
    front,
    start() {
      const working: Promise<unknown>[] = [];
      const cache = { waitUntil: (work: Promise<unknown>) => void working.push(work) };
      const app = createClient({ baseUrl: front.url, token, cache }).prompt("ada/reply@production", {
        fallback,
      });
      return {
        async ask() {
          const { text, prompt } = await app.compile({ name: "Ada" });
          return `${text} (${[prompt.source, prompt.staleReason].filter(Boolean).join(", ")})`;
        },
        settle: async () => void (await Promise.all(working.splice(0))),
      };
    },
    move: (versionNumber) =>
      versionNumber === null
        ? owner.prompts.labels.delete({ ...reply, name: "production" })
        : owner.prompts.labels.put({ ...reply, name: "production", body: { versionNumber } }),
    deletePrompt: () => owner.prompts.delete(reply),
    revokeToken: () => registry.revokeToken(token),
    close: async () => {
      await front.stop();
      await registry.close();
    },
  };
}

/** Langfuse's SDK with its defaults and a fallback, on a stub that answers as its API does. */
export async function langfuseWorld(): Promise<World> {
  let label: 1 | 2 | null = null;
  let refusal: { status: number; error: string } | undefined;
  const front = await openFront(async () => {
    const { status, error } = refusal ?? { status: 404, error: "LangfuseNotFoundError" };
    if (refusal !== undefined || label === null) return Response.json({ error, message: "No." }, { status });
    return new Response(langfusePrompt(contents[label], label), {
      headers: { "content-type": "application/json" },
    });
  });
  return {
    front,
    start() {
      const { prompt } = new LangfuseClient({ baseUrl: front.url, publicKey: "pk", secretKey: "sk" });
      return {
        async ask() {
          const found = await prompt.get("reply", { label: "production", type: "text", fallback });
          const told = found.isFallback ? "isFallback" : `version ${found.version}`;
          return `${found.compile({ name: "Ada" })} (${told})`;
        },
        async settle() {
          // Its own book of what is being refreshed; there is no public one.
          while (prompt["cache"].isRefreshing("reply-label:production"))
            await new Promise((resolve) => setTimeout(resolve, 10));
        },
      };
    },
    move: async (version) => (label = version),
    deletePrompt: async () => (refusal = { status: 404, error: "LangfuseNotFoundError" }),
    revokeToken: async () => (refusal = { status: 401, error: "UnauthorizedError" }),
    close: () => front.stop(),
  };
}
