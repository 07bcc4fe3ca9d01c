import { expect, test } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";
import { validateAnswer } from "./validate.ts";

const move = {
  id: "lmv_00000000000000000000000001",
  name: "production",
  fromVersionNumber: null,
  toVersionNumber: 3,
  reason: null,
  actor: null,
  token: null,
  at: "2026-01-02T03:04:05.678Z",
};
const asked = { owner: "ada", slug: "reply" };

test("a valid response is returned unchanged, with fields that the contract does not know yet", async () => {
  const page = { items: [{ ...move, colour: "red" }], nextCursor: null };
  const { connect } = answering(json(page));
  expect(
    await connect({ validate: validateAnswer }).prompts.labels.history({ ...asked, name: "production" }),
  ).toEqual(page);
});

test("an invalid response is rejected, with the path of the problem", async () => {
  const page = { items: [{ ...move, toVersionNumber: "3" }], nextCursor: null };
  const { connect } = answering(json(page, { headers: { "x-request-id": "req-9" } }));
  await expect(
    connect({ validate: validateAnswer }).prompts.labels.history({ ...asked, name: "production" }),
  ).rejects.toMatchObject({
    code: "unexpected_response",
    requestId: "req-9",
    message: expect.stringMatching(
      /^The response of prompts.labels.history .*: \/items\/0\/toVersionNumber /,
    ),
    details: [{ path: "/items/0/toVersionNumber" }],
  });
});

test("a response without JSON, and an error, are not validated", async () => {
  const { connect } = answering(() => new Response("Hello"), refusal(404, "not_found"));
  const client = connect({ validate: validateAnswer });
  expect(await (await client.prompts.raw.get(asked)).text()).toBe("Hello");
  await expect(client.prompts.get(asked)).rejects.toMatchObject({ code: "not_found" });
});

test("an invalid response counts as an outage for the prompt cache", async () => {
  const { connect } = answering(json({ title: "no version" }));
  const client = connect({ validate: validateAnswer });
  const prompt = await client.prompt("ada/reply", { fallback: "Hello" }).get();
  expect([prompt.source, prompt.staleReason]).toEqual(["fallback", "server_error"]);
});
