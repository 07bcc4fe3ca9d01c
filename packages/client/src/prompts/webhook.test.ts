import { setTimeout as delay } from "node:timers/promises";
import { sign } from "@promptreg/core/webhooks";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  down,
  pinnedTo,
  refused,
  requests,
  resolvedTo,
  seconds,
  serve,
  settled,
  stubRegistry,
} from "../../test/registry-stub.ts";

stubRegistry();

describe("a webhook", () => {
  const secret = "whsec_for_tests_of_the_client_and_nothing_else";
  const delivery = (id: string, createdAt: string, prompt: object = {}) =>
    deliver(id, createdAt, { prompt: { id: "prm_1", ref: "ada/reply", url: "", ...prompt }, actor: null });
  async function deliver(id: string, createdAt: string, data: object): Promise<Request> {
    const body = JSON.stringify({ id, event: "prompt.label.moved", createdAt, data });
    const headers = { "service-signature": await sign(body, secret, { now: Date.now() }) };
    return new Request("http://app.test/hook", { method: "POST", body, headers });
  }

  test("refreshes a moved label at once, for the next get", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    const handled = await client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    expect(handled).toMatchObject({ isNew: true, refreshed: ["ada/reply@production"] });
    expect(await prompt.get()).toMatchObject({ version: 2, source: "memory" });
  });

  test.each([
    ["has another address now", { ref: "ada/renamed" }],
    ["is another one at the same address", { id: "prm_2" }],
  ])("refreshes the labels, and no pinned version, of a prompt that %s", async (_, prompt) => {
    serve((request) => (request.url.includes("version=") ? pinnedTo(1)() : resolvedTo(1)(request)));
    const client = clientOf();
    for (const ref of ["ada/reply@1", "ada/reply@production"]) await client.prompt(ref).get();
    const handled = await client.handleWebhook(await delivery("evt_1", "2026-01-01", prompt), secret);
    expect(handled.refreshed).toEqual(["ada/reply@production"]);
  });

  test("is handled once, and not after a later event", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    await client.prompt("ada/reply@production").get();
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const handle = async (id: string, second: number) =>
      client.handleWebhook(await delivery(id, at(second)), secret);
    expect((await handle("evt_2", 5)).refreshed).toHaveLength(1);
    expect(await handle("evt_2", 5)).toMatchObject({ isNew: false, refreshed: [] });
    expect(await handle("evt_1", 4)).toMatchObject({ isNew: true, refreshed: [] });
    expect(await handle("evt_3", 5)).toMatchObject({ refreshed: ["ada/reply@production"] });
  });

  test("about no prompt refreshes nothing", async () => {
    const client = clientOf();
    for (const [nth, data] of [{}, { prompt: null }].entries()) {
      const request = await deliver(`evt_${nth}`, "2026-01-01T00:00:01.000Z", data);
      expect(await client.handleWebhook(request, secret)).toMatchObject({ isNew: true, refreshed: [] });
    }
    expect(requests).toHaveLength(0);
  });

  test("is rejected if it is no web Request", async () => {
    for (const request of [{}, undefined])
      await expect(clientOf().handleWebhook(request as Request, secret)).rejects.toMatchObject({
        message: expect.stringMatching(/web Request.*receiveSync/),
        statusCode: 500,
      });
  });

  test("reports only the prompts for which the registry responded, and serves no other as fresh", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    await client.prompt("ada/reply@production").get();
    await client.prompt("ada/reply@beta").get();
    serve((request) => (request.url.includes("beta") ? down() : resolvedTo(2)(request)));
    const handled = await client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    expect(handled.refreshed).toEqual(["ada/reply@production"]);
    const beta = await client.prompt("ada/reply@beta").get();
    expect(beta).toMatchObject({ version: 1, staleReason: expect.any(String) });
  });

  test("deletes a remembered refusal", async () => {
    serve(refused(404, "not_found"));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    await expect(prompt.get()).rejects.toMatchObject({ status: 404 });
    serve(resolvedTo(1));
    await client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    expect((await prompt.get()).version).toBe(1);
  });

  test("with a wrong signature is rejected, and refreshes nothing", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    await client.prompt("ada/reply@production").get();
    const request = await delivery("evt_1", "2026-01-01T00:00:01.000Z");
    await expect(client.handleWebhook(request, "whsec_another_secret_of_the_tests")).rejects.toMatchObject({
      code: "signature_mismatch",
      statusCode: 400,
    });
    expect(requests).toHaveLength(1);
  });

  test("ignores a response whose request began before the event", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    const old = Promise.withResolvers<Response>();
    serve(() => old.promise);
    seconds(61);
    requests.length = 0;
    await prompt.get();
    await settled();
    serve(resolvedTo(2));
    const handling = client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    // Another thread verifies the signature. Then the handler waits for the running request.
    await delay(50);
    old.resolve(resolvedTo(1)());
    await handling;
    expect((await prompt.get()).version).toBe(2);
  });
});
