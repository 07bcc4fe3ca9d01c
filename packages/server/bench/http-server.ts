/** A process with the two servers of a comparison, on ports that it tells its parent. */
import { createHash, hash } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, BlockList } from "node:net";
import { tmpdir } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createAdaptorServer } from "@hono/node-server";
import { type RateLimits, rateLimits } from "@promptreg/core";
import { readEtags, corsHeaders } from "@promptreg/core/wire";
import { Hono } from "hono";
import pino from "pino";
import { createApp } from "../src/app.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { connect, connectToRead } from "../src/database/open.ts";
import { selectThreads } from "../src/groups/comments/list.sql.ts";
import { insertVote } from "../src/groups/contests/entries.sql.ts";
import { entryTarget } from "../src/groups/contests/target.ts";
import {
  countVersion,
  insertBlobs,
  insertVersion,
  publishVersion,
  selectCommitted,
  selectGround,
} from "../src/groups/prompts/commit.sql.ts";
import { loadResolved } from "../src/groups/prompts/get.sql.ts";
import { indexEntry } from "../src/groups/prompts/search.sql.ts";
import { versionJson } from "../src/groups/prompts/version.sql.ts";
import { promptTarget } from "../src/groups/prompts/target.ts";
import { type Caller, callerOf } from "../src/kernel/accounts/caller.ts";
import { emit } from "../src/kernel/changes/emit.ts";
import { Waits } from "../src/kernel/changes/waits.ts";
import { hashToken } from "../src/kernel/accounts/token.ts";
import { openTokenUses } from "../src/kernel/accounts/token-uses.ts";
import { openActivity } from "../src/kernel/changes/activity.ts";
import { openBus } from "../src/kernel/changes/bus.ts";
import { openFailures } from "../src/kernel/failures/failures.ts";
import { createHttpServer } from "../src/kernel/http/http-server.ts";
import { lockTarget } from "../src/kernel/targets/load.ts";
import { createRateLimiter } from "../src/kernel/rate-limits/rate-limit.ts";
import { openReplicas } from "../src/kernel/replicas.ts";
import { openReadiness } from "../src/kernel/failures/readiness.ts";
import { openAccess } from "../src/kernel/telemetry/access.ts";
import { type Metrics, openMetrics } from "../src/kernel/telemetry/metrics.ts";
import { openTracing } from "../src/kernel/telemetry/tracing.ts";
import { openSecretBox } from "../src/kernel/secrets/secret-box.ts";
import type { ServerContext } from "../src/kernel/server-context.ts";
import { FolderStore } from "../src/kernel/store/folder-store.ts";
import { Holdings } from "../src/kernel/http/holdings.ts";
import { Turns, turnsOfAddress } from "../src/kernel/http/turns.ts";
import { commentBare } from "./bare-comment.ts";

const {
  BENCH_DATABASE = "",
  BENCH_REPLICA,
  BENCH_TOKEN = "",
  BENCH_SIDE = "",
  BENCH_STORE = "",
} = process.env;
const replicas = BENCH_REPLICA ? [parseDatabaseUrl(BENCH_REPLICA)] : [];
const address = parseDatabaseUrl(BENCH_DATABASE);
const sql = connect(address);
const bus = openBus({ sql, address, onLost: () => {} });

const server =
  BENCH_SIDE === "floor"
    ? createAdaptorServer({ fetch: floor().fetch })
    : await ours(BENCH_SIDE === "ours" ? null : await watch());
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.((server.address() as AddressInfo).port);

// Any message asks for the longest delay of the event loop since the one before, in milliseconds.
const delays = monitorEventLoopDelay({ resolution: 1 });
process.on("message", () => {
  process.send?.(delays.max / 1e6);
  delays.reset();
  delays.enable();
});

/** Metrics, and if need be spans, which are made and sent nowhere. */
async function watch(): Promise<Metrics> {
  if (BENCH_SIDE === "traced") await trace(1);
  if (BENCH_SIDE === "sampled") await trace(0.1);
  return openMetrics({
    waitingReads: () => 0,
    replicaLags: () => [],
    isDatabaseUp: () => true,
    dataDir: tmpdir(),
  });
}

async function trace(share: number): Promise<void> {
  const { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } =
    await import("@opentelemetry/sdk-trace-node");
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  };
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) });
  new NodeTracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor(exporter)] }).register();
  openTracing();
}

async function ours(metrics: Metrics | null): Promise<Server> {
  const log = pino({ level: "silent" });
  const secrets = openSecretBox("bench");
  // Counted as always, but never used up; within a second, so that the fields of all answers are equally long.
  const most = { quota: 1_000_000, windowSeconds: 1 };
  const limits = Object.fromEntries(
    Object.entries(rateLimits).map(([policy, limit]) => [policy, { ...limit, ...most }]),
  ) as unknown as RateLimits;
  const limiter = createRateLimiter({ sql, secrets, log, limits });
  await limiter.start();
  const readiness = openReadiness({ sql, log });
  const failures = openFailures(log, readiness);
  const context: ServerContext = {
    sql,
    readSql: connectToRead(address),
    replicas: openReplicas({ sql, addresses: replicas, log, failures }),
    readiness,
    failures,
    isForMembers: false,
    isPooled: false,
    cdn: null,
    webhookReach: {},
    activity: openActivity({ sql, failures }),
    tokenUses: openTokenUses({ sql, failures }),
    metrics,
    follow: openAccess({ log, metrics }),
    bus,
    waits: new Waits(bus),
    publicUrl: "http://127.0.0.1",
    mediaUrl: "http://127.0.0.1",
    secrets,
    log,
    limiter,
    mailer: null,
    discordKey: null,
    ask: () => Promise.reject(new Error("nothing asks here")),
    trustedProxies: new BlockList(),
    store: new FolderStore(BENCH_STORE),
    scanner: null,
    accountBytes: Infinity,
    heldWords: [],
    suggestions: [],
    allowUnsafeWebhooks: false,
    checkAnswers: false,
    holdings: new Holdings(),
    turns: new Turns(turnsOfAddress),
  };
  return createHttpServer(createApp(context).fetch, context);
}

interface VersionText {
  versionText: string | null;
}

/** The least that could be done with a statement for each request: the same statement, the same body, the same headers, and nothing checked. */
function floor(): Hono {
  const app = new Hono();
  const credential = createHash("sha256").update(BENCH_TOKEN).digest();
  const address = { owner: "bench", slug: "hot" };
  const printed = sql`, ${versionJson(sql, "full")}::text as "versionText"`;
  app.get("/label", async () => {
    const caller = callerOf(sql, credential);
    const query = { label: "production" };
    const { target } = await loadResolved<VersionText>(sql, { address, caller }, query, printed);
    const body = `{"ref":"bench/hot","yanked":false,"resolvedBy":{"type":"label","value":"production"},"version":${target?.versionText}}`;
    const limits = { "ratelimit-policy": `"read";q=1000000;w=1`, ratelimit: `"read";r=999999;t=1` };
    return new Response(body, {
      headers: { ...headers(`"${target?.versionId}.bench/hot"`, "private, no-cache"), ...limits },
    });
  });
  app.get("/pinned", async (c) => {
    const caller = callerOf(sql, credential);
    const ifNoneMatch = readEtags(c.req.header("if-none-match"));
    const isKnown = sql`, v.id || '.full' = any (${ifNoneMatch.map((tag) => tag.slice(1, -1))}::text[]) as "isKnown",
      case when v.id || '.full' <> all (${ifNoneMatch.map((tag) => tag.slice(1, -1))}::text[]) then ${versionJson(sql, "full")}::text end as "versionText"`;
    const { target } = await loadResolved<VersionText>(sql, { address, caller }, { version: 1 }, isKnown);
    const tag = `"${target?.versionId}.full"`;
    const all = headers(tag, "public, max-age=31536000, s-maxage=60, immutable");
    if (ifNoneMatch.includes(tag)) {
      const { "content-type": _, ...bare } = all;
      return new Response(null, { status: 304, headers: bare });
    }
    return new Response(target?.versionText ?? "", { headers: all });
  });
  let reader: Promise<Caller> | undefined;
  app.get("/threads/:promptId", async (c) => {
    const rows = await selectThreads(sql, {
      list: c.req.param("promptId"),
      page: { after: null, take: 31 },
      caller: await (reader ??= loadCaller(credential)),
      address: { type: "prompt", id: "bench/discussed" },
      publicUrl: "http://127.0.0.1",
    });
    const body = `{"items":[${rows.map((row) => row.item as string).join()}]}`;
    return new Response(body, { headers: headers('""', "private, no-cache") });
  });
  app.post("/commit/:slug", async (c) => {
    const { files } = await c.req.json<{ files: [{ path: string; content: string }] }>();
    const committed = await commit(credential, c.req.param("slug"), files[0]);
    const json = `${committed.slice(0, -1)},"warnings":[]}`;
    return new Response(json, { status: 201, headers: headers('""', "no-store") });
  });
  app.post("/comments/:promptId", async (c) => {
    const { body: text } = await c.req.json<{ body: string }>();
    const { id: userId } = await loadCaller(credential);
    const written = await commentBare(sql, { promptId: c.req.param("promptId"), userId, text });
    return new Response(JSON.stringify(written), { status: 201, headers: headers('""', "no-store") });
  });
  app.post("/vote/:slug/:id", async (c) => {
    const token = c.req.header("authorization")?.slice("Bearer ".length) ?? "";
    const json = await vote(hashToken(token), c.req.param());
    return new Response(JSON.stringify(json), { headers: headers('""', "no-store") });
  });
  return app;
}

async function loadCaller(credential: Buffer): Promise<Caller> {
  const [row] = await sql<{ caller: Caller | null }[]>`select ${callerOf(sql, credential)} as caller`;
  if (!row?.caller) throw new Error("the token is not known");
  return row.caller;
}

/** The statements of a vote, sent as a vote sends them. */
async function vote(credential: Buffer, address: { slug: string; id: string }): Promise<object> {
  const caller = await loadCaller(credential);
  return sql.begin(async (sql) => {
    const entry = await lockTarget(sql, entryTarget, address, { lock: "share" });
    if (entry === null) throw new Error(`there is no entry ${address.id}`);
    const voting = { contestId: entry.contest.id, userId: caller.id, entryId: entry.id };
    const { given } = await insertVote(sql, { ...voting, ipHash: Buffer.alloc(32) });
    return { voted: true, votesLeft: entry.contest.votesPerUser - given - 1 };
  });
}

/** The statements of a commit of one file, sent as a commit sends them. */
async function commit(
  credential: Buffer,
  slug: string,
  file: { path: string; content: string },
): Promise<string> {
  const { path, content } = file;
  const caller = await loadCaller(credential);
  const bytes = Buffer.from(content);
  const sha256 = hash("sha256", bytes);
  const checked = {
    path,
    mode: "100644",
    size: bytes.length,
    sha256,
    mediaType: "text/markdown",
    encoding: "utf8",
    bytes,
  } as const;
  const contentHash = `sha256:${hash("sha256", [path, "100644", `${sha256}\n`].join("\0"))}`;
  return sql.begin(async (sql) => {
    const prompt = await lockTarget(sql, promptTarget, { owner: "bench", slug });
    if (prompt === null) throw new Error(`there is no prompt ${slug}`);
    const { id: promptId, ownerId: accountId, lastVersion } = prompt;
    const { id, missing } = await selectGround(sql, { prompt, digests: [sha256] });
    const n = lastVersion + 1;
    const about = { message: null, origin: { type: "commit" as const }, contentHash };
    const version = {
      id,
      promptId,
      n,
      entry: path,
      variables: [],
      config: {},
      tokenEstimate: 500,
      textHash: Buffer.from(sha256, "hex"),
      files: [checked],
      ...about,
    };
    const data = { version: { id, versionNumber: n, ...about, url: `http://127.0.0.1/bench/${slug}@${n}` } };
    const [, , , , , , committed] = await Promise.all([
      insertBlobs(sql, [checked], missing),
      insertVersion(sql, version, caller),
      countVersion(sql, { id, accountId, contents: missing.length * bytes.length }),
      publishVersion(sql, { promptId, n }),
      indexEntry(sql, promptId, content),
      emit(sql, { publicUrl: "http://127.0.0.1", caller, bus }, "prompt.version.created", { prompt }, data),
      selectCommitted(sql, id),
    ]);
    return committed;
  });
}

function headers(etag: string, cacheControl: string): Record<string, string> {
  return {
    "x-request-id": crypto.randomUUID(),
    "cache-control": cacheControl,
    vary: "Authorization, Accept",
    etag,
    ...corsHeaders,
    "content-type": "application/json",
  };
}
