// What holds of the client wherever it runs: with nothing of a test framework's and nothing of one runtime's, so that
// each can load it, as it is or bundled.
import { ApiError, ConnectionError, createClient, type Outcome } from "@promptreg/client";
import { createTestRegistry } from "@promptreg/client/testing";
import { receive, sign, verify } from "@promptreg/core/webhooks";
import { rejection, type Statement, same, type World } from "./check.ts";

// Workers allow no timers, no requests and no random numbers where a module is loaded. Nobody listens there.
const early = createClient({ baseUrl: "http://127.0.0.1:9", token: null, retries: 0 });
const earlyPrompt = early.prompt("ada/reply@production", { fallback: "Hello {{name}}." });

/** In this order: later ones move what earlier ones read. */
export const statements: Statement[] = [
  {
    says: "is made where a module is loaded, and says when no registry is there",
    async check() {
      const error = await rejection(early.users.me.get());
      same([error instanceof ConnectionError, error.name], [true, "ConnectionError"]);
      const { text, prompt } = await earlyPrompt.compile({ name: "Ada" });
      same([text, prompt.source, prompt.staleReason], ["Hello Ada.", "fallback", "unreachable"]);
    },
  },
  {
    says: "can be made with nothing said",
    check: () => void createClient().prompt("ada/reply"),
  },
  {
    says: "finds its address and its token in the environment",
    needs: "environment",
    check: async ({ owner }) => same((await createClient().users.me.get()).handle, owner),
  },
  {
    says: "calls operations with a token, and with a body",
    async check({ owner, slug, ...world }) {
      const client = createClient(world);
      same((await client.users.me.get()).handle, owner);
      const { n } = await client.prompts.versions.create({
        owner,
        slug,
        body: { files: [{ path: "PROMPT.md", content: "Three for {{name}}: é." }] },
      });
      same(n, 3);
    },
  },
  {
    says: "calls by the fetch that it is given, also the runtime's own",
    check: async ({ owner, ...world }) =>
      same((await createClient({ ...world, fetch: globalThis.fetch }).users.me.get()).handle, owner),
  },
  {
    says: "throws what the registry refuses, with code, status and request id",
    async check({ owner, ...world }) {
      const error = await rejection(createClient(world).prompts.get({ owner, slug: "no-such-prompt" }));
      same([error instanceof ApiError, error.name], [true, "ApiError"]);
      same([error.code, error.status, typeof error.requestId], ["not_found", 404, "string"]);
    },
  },
  {
    says: "shows the ETag of an answer, and that it is still the same",
    async check({ owner, slug, ...world }) {
      const client = createClient(world);
      const { response } = await client.prompts.get({ owner, slug }).withResponse();
      const headers = { "if-none-match": response.headers.get("etag") ?? "none" };
      const error = await rejection(client.prompts.get({ owner, slug }, { headers }));
      same([error.code, error.status], ["not_modified", 304]);
    },
  },
  {
    says: "sends again what failed for the moment",
    async check({ owner, ...world }) {
      let attempts = 0;
      const flaky: typeof fetch = (...request) =>
        (attempts += 1) === 1 ? Promise.reject(new TypeError("fetch failed")) : fetch(...request);
      same((await createClient({ ...world, fetch: flaky }).users.me.get()).handle, owner);
      same(attempts, 2);
    },
  },
  {
    says: "ends a call under way with its signal, by the reason of that",
    async check({ silentUrl, token }) {
      const abort = new AbortController();
      const reason = new Error("enough");
      const client = createClient({
        baseUrl: silentUrl,
        token,
        // In its own task, when the request has left.
        onAttempt: () => void setTimeout(() => abort.abort(reason)),
      });
      const error = await rejection(client.users.me.get({}, { signal: abort.signal }));
      if (error !== reason) throw error;
    },
  },
  {
    says: "waits for an answer as long as it is told",
    async check({ silentUrl, token }) {
      const client = createClient({ baseUrl: silentUrl, token, timeoutMs: 20, retries: 0 });
      const error = await rejection(client.users.me.get());
      same([error.name, /within 0.02 seconds/.test(error.message)], ["ConnectionError", true]);
    },
  },
  {
    says: "goes through all pages of a list",
    async check({ owner, slug, ...world }) {
      const numbers: number[] = [];
      for await (const { n } of createClient(world).prompts.versions.list({
        owner,
        slug,
        query: { limit: 1 },
      }))
        numbers.push(n);
      same(numbers, [3, 2, 1]);
    },
  },
  {
    says: "hands out a download as a stream",
    async check({ owner, slug, ...world }) {
      const { body } = await createClient(world).prompts.raw.get({ owner, slug, query: { version: 3 } });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let part = await reader?.read(); part?.value; part = await reader?.read()) text += part.value;
      same(text, "Three for {{name}}: é.");
    },
  },
  {
    says: "sends up a stream",
    needs: "upload",
    async check({ owner, slug, ...world }) {
      const parts = ['{ "files": [{ "path": "PROMPT.md",', ' "content": "Four for {{name}}." }] }'];
      const body = new ReadableStream({
        pull(controller) {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(part));
        },
      });
      const headers = { "content-type": "application/json" };
      // No operation takes bytes yet: the type of this one knows its data alone.
      const made = createClient(world).prompts.versions.create(
        { owner, slug, body: body as never },
        { headers },
      );
      same((await made).n, 4);
    },
  },
  {
    says: "serves a prompt from memory, asked for once by all who want it at once",
    async check({ owner, slug, ...world }) {
      let attempts = 0;
      const client = createClient({ ...world, onAttempt: () => void (attempts += 1) });
      const reply = client.prompt(`${owner}/${slug}@production`);
      const first = await Promise.all(Array.from({ length: 20 }, () => reply.get()));
      same([...new Set(first.map(({ source }) => source))], ["network"]);
      const { text, prompt } = await reply.compile({ name: "Ada" });
      same([text, prompt.source, prompt.version], ["One for Ada.", "memory", 1]);
      same([attempts, client.cache.size], [1, 1]);
    },
  },
  {
    says: "asks by ETag whether a prompt is still the same",
    async check({ owner, slug, ...world }) {
      const outcomes: (number | undefined)[] = [];
      const work: Promise<unknown>[] = [];
      const client = createClient({
        ...world,
        onAttempt: () => (outcome: Outcome) => void outcomes.push(outcome.status),
        cache: { ttlMs: 0, waitUntil: (promise) => work.push(promise) },
      });
      const reply = client.prompt(`${owner}/${slug}@production`);
      same((await reply.get()).source, "network");
      same((await reply.get()).staleReason, "revalidating");
      await Promise.all(work);
      same(outcomes, [200, 304]);
    },
  },
  {
    says: "takes a webhook, and refreshes what it says has moved, once",
    async check({ owner, slug, delivery, ...world }) {
      const client = createClient(world);
      const ref = `${owner}/${slug}@production`;
      same((await client.prompt(ref).get()).version, 1);
      await client.prompts.labels.put({ owner, slug, name: "production", body: { versionNumber: 2 } });
      const { event, ...handled } = await client.handleWebhook(requestOf(delivery), delivery.secret);
      same([event.event, handled], ["prompt.label.moved", { isNew: true, refreshed: [ref] }]);
      const { text, prompt } = await client.prompt(ref).compile({ name: "Ada" });
      same([text, prompt.source], ["Two for Ada.", "memory"]);
      same((await client.handleWebhook(requestOf(delivery), delivery.secret)).isNew, false);
    },
  },
  {
    says: "refuses a webhook that was changed on its way",
    async check({ delivery, ...world }) {
      const changed = {
        ...delivery,
        body: delivery.body.replace("prompt.label.moved", "prompt.label.movee"),
      };
      const error = await rejection(createClient(world).handleWebhook(requestOf(changed), delivery.secret));
      same(
        [error.name, error.code, error.statusCode],
        ["WebhookVerificationError", "signature_mismatch", 400],
      );
    },
  },
  {
    says: "is tested on a registry in memory, which fails and delivers as it is told",
    async check() {
      const registry = createTestRegistry();
      const client = createClient({ ...registry, retries: 0 });
      const prompt = { owner: registry.handle, slug: "reply" };
      const commit = (content: string) => ({
        files: [{ path: "PROMPT.md", content }],
        labels: ["production"],
      });
      const { files } = commit("---\nvariables: [{ name: name }]\n---\nOne for {{name}}.");
      await client.prompts.create({ body: { kind: "text", slug: "reply", title: "Reply", files } });
      await registry.deliveries();
      await client.prompts.versions.create({ ...prompt, body: commit("Two for {{name}}.") });
      const reply = client.prompt(`${prompt.owner}/${prompt.slug}@production`);
      same((await reply.compile({ name: "Ada" })).text, "Two for Ada.");
      await client.prompts.versions.create({ ...prompt, body: commit("Three for {{name}}.") });
      for (const delivery of await registry.deliveries())
        await client.handleWebhook(delivery, registry.webhookSecret);
      same((await reply.compile({ name: "Ada" })).text, "Three for Ada.");
      registry.fail({ cut: "before" });
      same((await rejection(client.users.me.get())).name, "ConnectionError");
      registry.heal();
      same((await rejection(client.webhooks.list())).code, "not_in_test_registry");
    },
  },
  {
    says: "verifies and signs without a client",
    async check({ delivery: { body, header, secret } }) {
      await verify(body, header, secret);
      const t = Number(/^t=(\d+)/.exec(header)?.[1]);
      same(await sign(body, secret, { now: t * 1000 }), header);
      same((await receive(new TextEncoder().encode(body), header, secret)).event, "prompt.label.moved");
      same((await rejection(verify(`${body} `, header, secret))).code, "signature_mismatch");
    },
  },
];

const requestOf = ({ body, header }: World["delivery"]) =>
  new Request("https://app.example/hook", { method: "POST", body, headers: { "service-signature": header } });
