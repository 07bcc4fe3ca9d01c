import { createClient, type PromptHandle } from "@promptreg/client";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type Registry, startRegistry } from "./index.ts";

// What an application gets for `ada/reply@production` over time, from the real server.
let registry: Registry;
let app: PromptHandle;
const seen: { moment: string; saw: string; asked: number }[] = [];
const reply = { owner: "ada", slug: "reply" };

beforeAll(async () => {
  registry = await startRegistry({ databaseUrl: inject("postgres").url });
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterAll(async () => {
  vi.useRealTimers();
  await registry.close();
  const lines = seen.map(
    ({ moment, saw, asked }) => `${moment.padEnd(46)} ${String(asked).padStart(2)} asked   ${saw}`,
  );
  process.stdout.write(`\nWhat an application sees\n${lines.join("\n")}\n\n`);
});

const owner = () => createClient(registry);
const commit = (content: string) =>
  owner().prompts.versions.create({ ...reply, body: { files: [{ path: "PROMPT.md", content }] } });
const move = (versionNumber: number) =>
  owner().prompts.labels.put({ ...reply, name: "production", body: { versionNumber } });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

/** Asks as the application does, and notes what it sees and how often the registry was asked for that. */
async function look(moment: string): Promise<string> {
  registry.requests.length = 0;
  const saw = await app.compile({ name: "Ada" }).then(
    ({ text, prompt }) => `${text} (${[prompt.source, prompt.staleReason].filter(Boolean).join(", ")})`,
    (error: Error & { code?: string }) => `${error.name} ${error.code ?? ""}`.trim(),
  );
  seen.push({ moment, saw, asked: registry.requests.length });
  return saw;
}

test("it gets the current prompt, a stale one during an outage, and never one that it may not read any more", async () => {
  const files = [{ path: "PROMPT.md", content: "One for {{name}}." }];
  await owner().prompts.create({
    body: { kind: "text", visibility: "public", slug: "reply", title: "Reply", files },
  });
  await commit("Two for {{name}}.");
  await move(1);
  const { token } = await registry.createAccount("reader", { scopes: ["read"] });
  app = createClient({ ...registry, token, retries: 0 }).prompt("ada/reply@production", {
    fallback: "The fallback.",
  });

  expect(await look("at its start")).toBe("One for Ada. (network)");
  expect(await look("at once again")).toBe("One for Ada. (memory)");
  pass(61);
  expect(await look("a minute later")).toBe("One for Ada. (memory, revalidating)");
  await vi.waitFor(() => expect(registry.requests).toMatchObject([{ status: 304 }]));

  await move(2);
  pass(600);
  expect(await look("its label moved, ten minutes ago")).toBe("Two for Ada. (network)");

  registry.fail({ cut: "before" });
  pass(86_400);
  expect(await look("the registry is away, for a day")).toBe("Two for Ada. (memory, unreachable)");
  registry.heal();
  registry.fail({ status: 404, html: true });
  pass(600);
  expect(await look("a proxy says 404 in its place")).toBe("Two for Ada. (memory, server_error)");
  registry.heal();
  registry.fail({ status: 503 });
  pass(600);
  expect(await look("it is being restarted: 503")).toBe("Two for Ada. (memory, server_error)");
  registry.heal();
  pass(600);
  expect(await look("it is back")).toBe("Two for Ada. (network)");

  await owner().prompts.labels.delete({ ...reply, name: "production" });
  pass(600);
  expect(await look("its label was removed")).toBe("ApiError not_found");
  await move(1);
  pass(10);
  expect(await look("its label was set again")).toBe("One for Ada. (network)");

  await owner().prompts.update({ ...reply, body: { visibility: "private" } });
  pass(600);
  expect(await look("its prompt became private")).toBe("ApiError not_found");
  await owner().prompts.update({ ...reply, body: { visibility: "public", slug: "answer" } });
  pass(10);
  expect(await look("its prompt is public again, under another name")).toBe("One for Ada. (network)");

  await owner().prompts.delete({ owner: "ada", slug: "answer" });
  pass(600);
  expect(await look("its prompt was deleted")).toBe("ApiError gone");
  await registry.revokeToken(token);
  pass(10);
  expect(await look("its token was revoked")).toBe("ApiError invalid_token");
  registry.fail({ cut: "before" });
  pass(10);
  expect(await look("the registry is away, and nothing is kept")).toBe(
    "The fallback. (fallback, unreachable)",
  );
});

test("a pinned version is served after its prompt is deleted, and requested once", async () => {
  registry.heal();
  const files = [{ path: "PROMPT.md", content: "Pinned." }];
  await owner().prompts.create({
    body: { kind: "text", visibility: "public", slug: "pinned", title: "Pinned", files },
  });
  const pinned = createClient(registry).prompt("ada/pinned@1");
  expect(await pinned.get()).toMatchObject({ source: "network", version: 1 });
  await owner().prompts.delete({ owner: "ada", slug: "pinned" });
  registry.requests.length = 0;
  pass(86_400 * 365);
  expect(await pinned.get()).toMatchObject({ source: "memory", version: 1, staleReason: null });
  expect(registry.requests).toEqual([]);
});
