import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import {
  bytes,
  empty,
  html,
  json,
  multipart,
  op,
  pageOf,
  type PageQuery,
  pageQuery,
  PromptPath,
  redirect,
  type Schema,
  text,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { respondWithError } from "@promptreg/core/wire";
import { Hono } from "hono";
import * as z from "zod";
import { targets } from "../src/groups/index.ts";
import { revisionAlone } from "../src/kernel/operations/etag.ts";
import type { Handlers } from "../src/kernel/handler.ts";
import { requestIdOf } from "../src/kernel/http/header.ts";
import { createHttpServer } from "../src/kernel/http/http-server.ts";
import { mount } from "../src/kernel/operations/mount.ts";
import type { Listed } from "../src/kernel/lists/page.ts";
import { asApiError } from "../src/kernel/failures/as-api-error.ts";
import { startTestServer, type TestDatabase, type TestServer } from "./harness.ts";
import { exchange, type Sender } from "./requests.ts";

const anyone = { auth: "optional", scope: "read" } as const;
const user = { auth: "required", scope: "write" } as const;
const owner = { ...user, on: { prompt: ["owner"] } } as const;

interface Said {
  said: string;
}
const Said: Schema<Said> = z.strictObject({ said: z.string().max(1_000_000) });
interface Counted {
  count: number;
  secret?: string;
}
const Counted: Schema<Counted> = z.strictObject({ count: z.int(), secret: z.string().optional() });
interface Received {
  fields: Record<string, string>;
  files: { field: string; filename: string; mediaType: string; size: number; sha256: string; path: string }[];
}
const Received: Schema<Received> = z.strictObject({
  fields: z.record(z.string(), z.string()),
  files: z.array(
    z.strictObject({
      field: z.string(),
      filename: z.string(),
      mediaType: z.string(),
      size: z.int(),
      sha256: z.string(),
      path: z.string(),
    }),
  ),
});
const Target: Schema<{ type: "user" | "prompt"; id: string }> = z.strictObject({
  type: z.enum(["user", "prompt"]),
  id: z.string(),
});
interface About {
  target: { type: "user" | "prompt"; id: string };
  note?: string;
  secret?: string;
}
const About: Schema<About> = z.strictObject({
  target: Target,
  note: z.string().optional(),
  secret: z.string().optional(),
});
interface Pair {
  source: { ref: string };
  said?: string;
}
const Versioned: Schema<{ version: string }> = z.strictObject({ version: z.string() });
const Pair: Schema<Pair> = z.strictObject({
  source: z.strictObject({ ref: z.string() }),
  said: z.string().optional(),
});
const queryTarget: Schema<{ target?: string; mine?: string }> = z.strictObject({
  target: z.string().optional(),
  mine: z.string().optional(),
});
const Form: Schema<{ title: string }> = z.strictObject({ title: z.string().max(20) });
const Ranged: Schema<{ "content-range": string }> = z.object({
  "content-range": z.string().regex(/^bytes \d+-\d+\/\d+$/),
});
const oneWord: Schema<{ word: string }> = z.strictObject({ word: z.string() });
const oneWay: Schema<{ how: string }> = z.strictObject({ how: z.string() });

interface ListNumbers extends PageQuery {
  parity?: "odd" | "even";
}
const ListNumbers: Schema<ListNumbers> = z.strictObject({
  ...pageQuery(),
  parity: z.enum(["odd", "even"]).optional(),
});
const Numbered: Schema<{ n: number }> = z.strictObject({ n: z.int() });

/** An operation of every kind that a group may need: its body, its answer, its address, its access. */
export const fixtures = {
  answers: {
    text: op({ route: "GET /text", access: anyone, results: { 200: text() } }),
    alternative: op({
      route: "GET /alternative",
      access: anyone,
      results: { 200: [json(Said), text("text/markdown")], 204: empty() },
    }),
    stream: op({
      route: "GET /stream/{mebibytes}",
      access: anyone,
      params: z.strictObject({ mebibytes: z.coerce.number() }) as Schema<{ mebibytes: number }>,
      results: { 200: bytes("application/zip") },
    }),
    page: op({ route: "GET /page", access: anyone, results: { 200: html() } }),
    ranged: op({ route: "GET /ranged", access: anyone, headers: Ranged, results: { 200: json(Said) } }),
    redirect: op({ route: "GET /elsewhere", access: anyone, results: { 302: redirect() } }),
    tagged: op({
      route: "GET /tagged/{word}",
      access: anyone,
      params: oneWord,
      results: { 200: json(Said) },
    }),
    fixed: op({
      route: "GET /fixed/{word}",
      access: anyone,
      params: z.strictObject({ word: z.enum(["public", "private"]) }) as Schema<{
        word: "public" | "private";
      }>,
      results: { 200: json(Said) },
    }),
    wrong: op({ route: "GET /wrong/{how}", access: anyone, params: oneWay, results: { 200: json(Said) } }),
  },
  targets: {
    /** About one of several kinds, or about nothing, named in the query. */
    one: op({
      route: "GET /about",
      access: { ...anyone, on: { prompt: "viewers", user: "viewers" }, from: "query.target?" },
      query: queryTarget,
      fields: { mine: { callerFor: "true" } },
      results: { 200: json(Said) },
    }),
    /** About one of several kinds, named in the body, with fields of their own rules; nobody praises what is their own. */
    praise: op({
      route: "POST /praise",
      access: {
        ...user,
        on: { prompt: "viewers", user: "viewers" },
        from: "body.target",
        refuse: { owner: "webhook_limit" },
      },
      body: json(About),
      results: { 200: json(Said) },
    }),
    edit: op({
      route: "PATCH /about/{owner}/{slug}",
      access: { ...user, on: { prompt: ["owner"] } },
      params: PromptPath,
      body: json(
        z.strictObject({
          note: z.string().optional(),
          rating: z.string().optional(),
          secret: z.string().optional(),
        }) as Schema<{
          note?: string;
          rating?: string;
          secret?: string;
        }>,
      ),
      fields: { rating: { allow: ["moderator"] }, secret: { allow: ["owner"], scope: "evals:write" } },
      results: { 200: json(Said) },
    }),
    /** About two things. */
    propose: op({
      route: "POST /about/{owner}/{slug}/proposals",
      access: {
        ...user,
        on: { prompt: "viewers" },
        with: { source: { on: { prompt: ["owner"] }, from: "body.source.ref", otherwise: "no_changes" } },
      },
      params: PromptPath,
      body: json(Pair),
      results: { 200: json(Said) },
    }),
    /** About a prompt, and a version of another one: that is locked with its prompt. */
    compare: op({
      route: "POST /about/{owner}/{slug}/comparisons",
      access: {
        ...user,
        on: { prompt: "viewers" },
        with: { version: { on: { version: ["owner"] }, from: "body.version" } },
      },
      params: PromptPath,
      body: json(Versioned),
      results: { 200: json(Said) },
    }),
    stated: op({
      route: "GET /users/{handle}/stated",
      access: { ...anyone, on: { user: "viewers" } },
      params: z.strictObject({ handle: z.string() }) as Schema<{ handle: string }>,
      results: { 200: json(Said) },
    }),
  },
  lists: {
    below: op({
      route: "GET /numbers/{word}",
      access: anyone,
      params: oneWord,
      query: ListNumbers,
      results: { 200: json(pageOf(Numbered)) },
      errors: ["invalid_cursor"],
    }),
  },
  addresses: {
    file: op({
      route: "GET /files/{path*}",
      access: anyone,
      params: z.strictObject({ path: z.string() }) as Schema<{ path: string }>,
      results: { 200: json(Said) },
    }),
    get: op({ route: "GET /words/{word}", access: anyone, params: oneWord, results: { 200: json(Said) } }),
    edit: op({ route: "PATCH /words/{word}", access: user, params: oneWord, results: { 200: json(Said) } }),
    put: op({
      route: "PUT /words/{word}",
      access: user,
      params: oneWord,
      body: json(Said, { maxBytes: 1000 }),
      results: { 200: json(Said), 201: json(Said) },
    }),
    // Below the operations that it must nevertheless come before.
    newest: op({ route: "GET /words/newest", access: anyone, results: { 200: json(Said) } }),
  },
  bodies: {
    form: op({
      route: "POST /form",
      access: user,
      body: multipart(Form, { maxBytes: 1024 * 1024, maxFiles: 10 }),
      results: { 201: json(Received) },
    }),
    text: op({
      route: "POST /text",
      access: user,
      body: [text("text/csv", { maxBytes: 1000 }), text("application/x-ndjson", { maxBytes: 1000 })],
      results: { 200: json(Said) },
    }),
    bytes: op({
      route: "POST /bytes",
      access: user,
      body: bytes("application/octet-stream", { maxBytes: 4 * 1024 * 1024 }),
      results: { 200: json(Said) },
    }),
  },
  changes: {
    count: op({
      route: "POST /counts/{word}",
      access: user,
      params: oneWord,
      body: json(Said),
      results: { 201: json(Counted) },
      errors: ["quota_exceeded"],
    }),
    note: op({ route: "POST /notes", access: user, body: json(Said), results: { 201: json(Said) } }),
    touch: op({ route: "POST /touch", access: user, results: { 204: empty() } }),
    record: op({
      route: "POST /record",
      access: { auth: "optional", scope: "none" },
      body: json(Said),
      results: { 200: json(Said) },
    }),
    retitle: op({
      route: "PATCH /prompts/{owner}/{slug}",
      access: owner,
      params: PromptPath,
      body: json(Said),
      results: { 200: json(Said) },
      errors: ["label_conflict"],
      emits: ["prompt.label.moved"],
    }),
    star: op({
      route: "POST /prompts/{owner}/{slug}/star",
      access: owner,
      params: PromptPath,
      results: { 204: empty() },
    }),
  },
};

/** The lock under which `changes.count` works, so that a test can hold a request where it is. */
export const countLock = 4711;

/** How far each stream is ahead of its reader, and whether its source was let go. */
export const streams = { sentBytes: 0, wereCancelled: 0 };

const chunk = new Uint8Array(256 * 1024);

function streamOf(mebibytes: number): ReadableStream<Uint8Array> {
  streams.sentBytes = 0;
  return new ReadableStream({
    pull(controller) {
      if (streams.sentBytes >= mebibytes * 1024 * 1024) return controller.close();
      streams.sentBytes += chunk.length;
      controller.enqueue(chunk);
    },
    cancel() {
      streams.wereCancelled += 1;
    },
  });
}

async function digest(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of source) hash.update(part);
  return hash.digest("hex");
}

const handlers: Handlers<typeof fixtures> = {
  answers: {
    text: async () => ({ status: 200, text: "Grüße, 🌍" }),
    alternative: async ({ accept }) =>
      accept === "text/markdown"
        ? { status: 200, text: "# Hello", type: accept, etag: "markdown" }
        : accept === "application/json"
          ? { status: 200, json: { said: "hello" }, etag: "json" }
          : { status: 204 },
    stream: async ({ params }) => ({
      status: 200,
      bytes: streamOf(params.mebibytes),
      type: "application/zip",
      filename: "größte (1).zip",
      etag: `${params.mebibytes}`,
    }),
    page: async () => ({ status: 200, html: "<p>Hello</p>" }),
    redirect: async () => ({ status: 302, location: "https://media.example/a.png" }),
    ranged: async ({ headers }) => ({ status: 200, json: { said: headers["content-range"] } }),
    tagged: async ({ params: { word: etag } }) => ({ status: 200, json: { said: etag }, etag }),
    fixed: async ({ params }) => ({
      status: 200,
      json: { said: "for ever" },
      immutable: params.word,
      etag: "1",
    }),
    wrong: async ({ params }) => {
      if (params.how === "code") throw apiError("webhook_limit");
      if (params.how === "defect") throw new TypeError("a defect");
      // Answers that the types would refuse.
      return (
        params.how === "status" ? { status: 418, json: { said: "" } } : { status: 200, json: { heard: "" } }
      ) as never;
    },
  },
  targets: {
    one: async ({ target }) => ({
      status: 200,
      json: { said: target === null ? "nothing" : target.type === "prompt" ? target.slug : target.id },
    }),
    praise: async ({ target }) => ({ status: 200, json: { said: target.type } }),
    edit: async ({ target }) => ({ status: 200, json: { said: target.slug } }),
    propose: async ({ target, others: { source }, sql, body }) => {
      if (body.said === "wait") await sql`select pg_sleep(0.05)`;
      return { status: 200, json: { said: `${source.slug} to ${target.slug}` } };
    },
    compare: async ({ target, others: { version }, sql }) => {
      await sql`select pg_sleep(0.05)`;
      return { status: 200, json: { said: `${target.slug} and ${version.prompt.slug}@${version.n}` } };
    },
    stated: {
      state: revisionAlone,
      handle: async ({ target }) => ({ status: 200, json: { said: target.id } }),
    },
  },
  lists: {
    below: async ({ params, query, sql, page }) => {
      const rows = await sql<Listed[]>`
        select json_build_object('n', n)::text as item, json_build_array(n) as key
        from generate_series(${Number(params.word)}::int, 1, -1) n
        where n < ${page.after?.[0] ?? 2 ** 31 - 1}::int
          and (${query.parity ?? null}::text is null or n % 2 = (${query.parity ?? null} = 'odd')::int)
        order by n desc limit ${page.take}`;
      return page.reply<{ n: number }>(rows);
    },
  },
  addresses: {
    file: async ({ params }) => ({ status: 200, json: { said: params.path } }),
    get: async ({ params }) => ({ status: 200, json: { said: params.word } }),
    edit: async ({ params }) => ({ status: 200, json: { said: params.word } }),
    put: async ({ params, body }) =>
      params.word === "new"
        ? { status: 201, json: body, location: "https://here.example/words/new" }
        : { status: 200, json: body },
    newest: async () => ({ status: 200, json: { said: "the newest" } }),
  },
  bodies: {
    form: async ({ body: { fields, files } }) => {
      const read = files.map(async (file) => ({
        ...file,
        sha256: await digest(createReadStream(file.path)),
      }));
      return { status: 201, json: { fields, files: await Promise.all(read) } };
    },
    text: {
      prepare: ({ body }) => readAll(body),
      handle: async ({ prepared }) => ({ status: 200, json: { said: prepared } }),
    },
    bytes: async ({ body }) => ({ status: 200, json: { said: await digest([body]) } }),
  },
  changes: {
    count: async ({ params, body, sql, audit }) => {
      await sql`select pg_advisory_xact_lock(${countLock})`;
      await audit("count", params.word);
      if (body.said === "fail") throw apiError("quota_exceeded");
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from audit_log where action = 'count' and target = ${params.word}`;
      const count = row?.count ?? 0;
      return {
        status: 201,
        json: { count },
        once: { secret: "shown once" },
        etag: "4",
        location: "https://here.example/4",
      };
    },
    note: {
      async handle({ body, audit }) {
        await audit("note", body.said.slice(0, 9));
        return { status: 201, json: body, subject: { beginning: body.said.slice(0, 9) } };
      },
      replay: async ({ subject }) => JSON.stringify({ said: `read again: ${subject.beginning}` }),
    },
    touch: async ({ audit }) => {
      await audit("touch", "it");
      return { status: 204 };
    },
    record: async ({ caller, audit }) => {
      await audit("record", caller?.handle ?? "anonymous");
      return { status: 200, json: { said: caller ? `${caller.handle} as ${caller.role}` : "anonymous" } };
    },
    retitle: async ({ target: prompt, body, sql, emit, audit }) => {
      await sql`update prompts set title = ${body.said}, revision = revision + 1 where id = ${prompt.id}`;
      await audit("retitle", prompt.id, { title: body.said });
      await emit(
        "prompt.label.moved",
        { prompt },
        {
          label: { name: "title", versionNumber: 1, reason: body.said },
          previousVersionNumber: null,
        },
      );
      if (body.said === "conflict") throw apiError("label_conflict");
      if (body.said === "defect") throw new TypeError("a defect");
      return { status: 200, json: body };
    },
    star: async ({ target, audit }) => {
      await audit("star", target.id);
      return { status: 204 };
    },
  },
};

export interface FixtureServer extends Sender {
  url: string;
  /** The real server over the same database: accounts, prompts and the clock come from it. */
  real: TestServer;
  /** What the kernel took for a fault of ours since it was last asked. */
  takeFaults(): string[];
  stop(): Promise<void>;
}

/** Serves the fixtures beside a real server on a database of their own. */
export async function startFixtures(
  options: { database?: TestDatabase; migrates?: boolean } = {},
): Promise<FixtureServer> {
  const real = await startTestServer({ ...options, connections: 9 });
  const faults: string[] = [];
  const app = new Hono();
  mount(app, fixtures, { handlers, targets, server: real.context });
  app.onError((error, c) => {
    faults.push(error.message);
    return respondWithError(asApiError(error), requestIdOf(c));
  });
  const listening = createHttpServer(app.fetch, real.context).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return {
    url,
    real,
    request: (route, call) => exchange(url, route, call),
    takeFaults: () => faults.splice(0),
    async stop() {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
      await real.stop();
    },
  };
}
