import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, type Client, createClient } from "@promptreg/client";
import { receiveSync } from "@promptreg/core/webhooks/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { filesOf } from "../test/prompts.ts";
import { listen } from "../test/waiting.ts";

let server: TestServer;
let ada: Client;
let bob: Client;
let nobody: Client;
const received: { event: string; createdAt: string }[] = [];
const receiver = createServer();

beforeAll(async () => {
  server = await startTestServer({ works: true });
  const clientOf = async (handle: string) =>
    createClient({ baseUrl: server.url, token: (await server.join(handle)).token });
  ada = await clientOf("ada");
  bob = await clientOf("bob");
  nobody = createClient({ baseUrl: server.url, token: null });
});
afterAll(async () => {
  receiver.close();
  await server.stop();
});

const story: string[] = [];
afterAll(() => process.stdout.write(`\nTwo people and a prompt, by SDK\n${story.join("\n")}\n\n`));

const greeting = { owner: "ada", slug: "greeting" };

/** The result of a call in a word, or the code of its error. */
async function outcomeOf(call: Promise<unknown>, show: (answer: any) => unknown): Promise<string> {
  try {
    return String(show(await call));
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code}`;
    throw error;
  }
}

/** What an account sees of the prompt, through every read that could show it. */
async function seenBy(who: Client, address = greeting) {
  return {
    latest: await outcomeOf(who.prompts.get(address), ({ ref, latestVersion }) => `${ref}@${latestVersion}`),
    production: await outcomeOf(
      who.prompts.get({ ...address, query: { label: "production", view: "version" } }),
      ({ version }) => version.n,
    ),
    pinned: await outcomeOf(who.prompts.versions.get({ ...address, n: 1 }), ({ n }) => n),
    versions: await outcomeOf(who.prompts.versions.list(address), ({ items }) =>
      items.map(({ n }: any) => n),
    ),
    inLists: await outcomeOf(who.prompts.list({ query: { owner: "ada" } }), ({ items }) =>
      items.map(({ slug }: any) => slug),
    ),
  };
}

/** Waits until the receiver has so many events, and gives them in the order of their times. */
async function receive(count: number): Promise<string[]> {
  for (let tries = 0; received.length < count && tries < 500; tries++) await delay(10);
  return received.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(({ event }) => event);
}

async function tell(step: string) {
  const stranger = await seenBy(bob);
  expect(await seenBy(nobody)).toEqual(stranger);
  const line = Object.entries(stranger).map(([what, seen]) => `${what} ${seen || "none"}`);
  story.push(`${step.padEnd(48)} Bob sees: ${line.join(", ")}`);
  return stranger;
}

test("two people share a prompt, and at each step the stranger sees only what he may see", async () => {
  const gone404 = "404 not_found";
  const hidden = { latest: gone404, production: gone404, pinned: gone404, versions: gone404, inLists: "" };

  await ada.prompts.create({
    body: { kind: "text", visibility: "public", slug: "greeting", title: "Greeting", files: filesOf("Hi") },
  });
  await ada.prompts.labels.put({ ...greeting, name: "production", body: { versionNumber: 1 } });
  expect(await tell("Ada publishes a prompt")).toEqual({
    latest: "ada/greeting@1",
    production: "1",
    pinned: "1",
    versions: "1",
    inLists: "greeting",
  });

  await bob.watch.put({ ...greeting, body: { level: "releases" } });
  const url = `${await listen(receiver)}/hook`;
  const { secret = "" } = await bob.webhooks.create({ body: { url } });
  receiver.on("request", (request, response) => {
    void buffer(request).then((body) => {
      received.push(receiveSync(body, request.headers["service-signature"], secret));
      response.writeHead(204).end();
    });
  });
  await ada.prompts.versions.create({
    ...greeting,
    body: { files: filesOf("Hello"), labels: ["production"] },
  });
  expect(await receive(2)).toEqual(["prompt.version.created", "prompt.label.moved"]);
  expect((await bob.watch.list()).items.map(({ prompt }) => prompt.ref)).toEqual(["ada/greeting"]);
  expect(await tell("Bob watches; Ada commits version 2, and he is told")).toMatchObject({
    latest: "ada/greeting@2",
    production: "2",
    versions: "2,1",
  });

  await ada.prompts.update({ ...greeting, body: { visibility: "private" } });
  await ada.prompts.labels.put({ ...greeting, name: "secret", body: { versionNumber: 1 } });
  expect(await tell("Ada turns it private")).toEqual(hidden);
  expect((await bob.watch.list()).items).toEqual([]);
  expect(await ada.prompts.get(greeting)).toMatchObject({ visibility: "private" });

  await ada.prompts.update({ ...greeting, body: { visibility: "public" } });
  expect(await tell("and public again")).toMatchObject({ latest: "ada/greeting@2", inLists: "greeting" });
  expect((await bob.watch.list()).items.map(({ level }) => level)).toEqual(["releases"]);

  await ada.prompts.update({ ...greeting, body: { slug: "welcome" } });
  expect(await tell("Ada renames it; Bob asks at the old address")).toMatchObject({
    latest: "ada/welcome@2",
    production: "2",
    inLists: "welcome",
  });
  await expect(
    ada.prompts.create({
      body: { kind: "text", visibility: "public", slug: "greeting", title: "Other", files: filesOf("Other") },
    }),
  ).rejects.toMatchObject({ code: "slug_taken" });

  await ada.prompts.versions.create({
    ...greeting,
    body: { files: filesOf("Welcome"), labels: ["production"] },
  });
  await ada.prompts.versions.yank({ ...greeting, n: 2, body: { reason: "It was rude" } });
  expect(await tell("Ada commits version 3 and yanks version 2")).toMatchObject({
    latest: "ada/welcome@3",
    production: "3",
    versions: "3,1",
  });
  expect(await bob.prompts.get({ ...greeting, query: { version: 2, view: "version" } })).toMatchObject({
    yanked: true,
  });

  const before = (await bob.prompts.labels.history({ ...greeting, name: "production" })).items[0];
  await ada.prompts.labels.put({
    ...greeting,
    name: "production",
    body: { versionNumber: 1, expectedVersionNumber: 3, reason: "Version 3 answers in French" },
  });
  expect(await tell("Ada rolls production back to version 1")).toMatchObject({
    production: "1",
    latest: "ada/welcome@3",
  });
  const { items: moves } = await bob.prompts.labels.history({ ...greeting, name: "production" });
  expect(moves.map(({ fromVersionNumber, toVersionNumber }) => [fromVersionNumber, toVersionNumber])).toEqual(
    [
      [3, 1],
      [2, 3],
      [1, 2],
      [null, 1],
    ],
  );
  const then = { label: "production", at: before?.at ?? "", view: "version" } as const;
  expect(await bob.prompts.get({ ...greeting, query: then })).toMatchObject({ version: { n: 3 } });

  // Version 3, its label, and the rollback; nothing that happened while it was private.
  expect((await receive(5)).slice(2)).toEqual([
    "prompt.version.created",
    "prompt.label.moved",
    "prompt.label.moved",
  ]);

  await ada.prompts.delete({ ...greeting });
  const gone = "410 gone";
  expect(await tell("Ada deletes it")).toEqual({
    latest: gone,
    production: gone,
    pinned: gone,
    versions: gone,
    inLists: "",
  });
});
