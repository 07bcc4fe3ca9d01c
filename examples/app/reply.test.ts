// Tests of a program that uses a prompt, with an in-memory registry: no server, no port, nothing to wait for.
import { type Client, createClient } from "@promptreg/client";
import { createTestRegistry, type TestRegistry } from "@promptreg/client/testing";
import { beforeEach, expect, test } from "vitest";
import { openReplies } from "./reply.ts";

let registry: TestRegistry;
let client: Client;
let reply: ReturnType<typeof openReplies>;
const prompt = { owner: "ada", slug: "support-reply" };
const files = (content: string) => [{ path: "PROMPT.md", content }];

beforeEach(async () => {
  registry = createTestRegistry(); // has the account ada and its token, and nothing else
  client = createClient(registry);
  reply = openReplies(client, "ada/support-reply@production");
  await client.prompts.create({
    body: {
      kind: "text",
      slug: "support-reply",
      title: "Support reply",
      files: files("Dear {{customer}}: {{message}}"),
    },
  });
  await client.prompts.labels.put({ ...prompt, name: "production", body: { versionNumber: 1 } });
});

test("it uses the version that production points at", async () => {
  expect((await reply("Ms Okafor", "Is it ready?")).text).toBe("Dear Ms Okafor: Is it ready?");
});

test("it follows the label when a webhook reports the move", async () => {
  await reply("Ms Okafor", "Is it ready?");
  await registry.deliveries(); // skip the events up to here
  await client.prompts.versions.create({
    ...prompt,
    body: { files: files("Hello {{customer}}: {{message}}"), labels: ["production"] },
  });
  for (const delivery of await registry.deliveries()) {
    await client.handleWebhook(delivery, registry.webhookSecret);
  }
  expect((await reply("Ms Okafor", "Is it ready?")).text).toBe("Hello Ms Okafor: Is it ready?");
});

test.each([
  ["is down", { cut: "before" }],
  ["is restarted", { status: 503, retryAfterSeconds: 0 }],
  ["is replaced by the page of a proxy", { status: 502, retryAfterSeconds: 0 }],
] as const)("it goes on while the registry %s", async (_, fault) => {
  registry.fail(fault);
  const { text, prompt } = await reply("Ms Okafor", "Is it ready?");
  expect(text).toBe("Answer Ms Okafor politely: Is it ready?");
  expect(prompt.source).toBe("fallback");
});

test("it throws when its prompt was deleted", async () => {
  await client.prompts.delete(prompt);
  await expect(reply("Ms Okafor", "Is it ready?")).rejects.toMatchObject({ code: "gone" });
});
