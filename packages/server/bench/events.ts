/**
 * What it costs a change that it is an event: transactions with an event that is announced and fanned out, against the same rows
 * alone, without and with a worker that fans out on the same cores; and label moves over HTTP, which are events, against saved
 * drafts, which are none.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isShort } from "../../../scripts/short.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { openRenewingPool } from "../src/database/renewal.ts";
import { postgresOptions } from "../src/database/connection.ts";
import { hashToken, makeToken } from "../src/kernel/accounts/token.ts";
import { openBus } from "../src/kernel/changes/bus.ts";
import { emit, eventAbout, type SubjectPrompt } from "../src/kernel/changes/emit.ts";
import { type ServerProcess, start } from "../test/process.ts";
import { median, print } from "./deliveries/print.ts";

const rounds = isShort ? 1 : 7;
const roundMs = isShort ? 200 : 2_000;
const clients = 64;

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const address = parseDatabaseUrl(database.url);
const sql = openRenewingPool({ ...postgresOptions(address), max: clients });
const bus = openBus({ sql, address, onLost: () => {} });
const agent = new Agent({ keepAlive: true });
const writing = { publicUrl: "http://127.0.0.1", caller: null, bus };
const eventName = "prompt.label.moved";
const moved = { label: { name: "production", versionNumber: 1, previousVersionNumber: 2 } };
const env = {
  DATABASE_URL: database.url,
  PROMPTREG_SECRET: "a secret of the benchmarks, and long enough",
  RATE_LIMITS: "off",
  PORT: "0",
};
let server: ServerProcess | undefined;
let worker: ServerProcess | undefined;
try {
  await migrate(address);
  server = await start(["serve", "--no-worker"], env);
  const people = await Promise.all(Array.from({ length: clients }, (_, nth) => settle(nth)));
  const commits = (writers: number) => ({
    writers,
    floor: (writer: number) => commitBare(people[writer]!),
    ours: (writer: number) => commit(people[writer]!),
  });
  for (const writers of [16, clients])
    await compare(`transactions with an event, ${writers} clients`, "0.85", commits(writers));
  worker = await start(["worker"], env);
  await compare(`the same, fanned out meanwhile, ${clients} clients`, undefined, commits(clients));
  let turn = 0;
  await compare(`label moves by ${clients} accounts, against saved drafts`, "0.70", {
    writers: clients,
    floor: (writer) => send(people[writer]!, "PUT", "draft", { files: filesOf(`Draft ${++turn}`) }),
    ours: (writer) => send(people[writer]!, "PUT", "labels/production", { versionNumber: 1 + (++turn % 2) }),
  });
} finally {
  agent.destroy();
  await Promise.all([server?.stop("SIGKILL"), worker?.stop("SIGKILL")]);
  await bus.stop();
  await sql.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

interface Author {
  token: string;
  path: string;
  prompt: SubjectPrompt;
}

/** An account with a prompt of two versions. */
async function settle(nth: number): Promise<Author> {
  const handle = `author-${nth}`;
  const token = makeToken();
  const [account] = await sql<{ id: string }[]>`
    with account as (insert into users (handle) values (${handle}) returning id)
    insert into tokens (user_id, name, hash, prefix, scopes)
    select id, 'bench', ${hashToken(token)}, 'prt_', '{read,write}' from account returning user_id as id`;
  const author: Author = {
    token,
    path: "/api/v1/prompts",
    prompt: { id: "", ownerId: account!.id, ownerHandle: handle, slug: "p", visibility: "public" },
  };
  const made = await send(author, "POST", "", {
    kind: "text",
    slug: "p",
    title: "Moved",
    files: filesOf("One"),
  });
  author.prompt.id = made.id;
  author.path += `/${handle}/p`;
  await send(author, "POST", "versions", { files: filesOf("Two") });
  return author;
}

function filesOf(content: string) {
  return [{ path: "PROMPT.md", content }];
}

async function send(
  { token, path }: Author,
  method: string,
  rest: string,
  body: object,
): Promise<{ id: string }> {
  const json = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(json),
  };
  const { hostname, port } = new URL(server?.url ?? "");
  const sent = request({ agent, host: hostname, port, method, path: join(path, rest), headers });
  sent.end(json);
  const [answer] = await once(sent, "response");
  let text = "";
  for await (const chunk of answer) text += chunk;
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}/${rest}: ${answer.statusCode} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as { id: string };
}

/** What `emit` writes, as an event that nobody has to fan out. */
function commitBare({ prompt }: Author): Promise<unknown> {
  return sql.begin(
    (tx) => tx`
      with moment as (
        update prompts set last_event_at = greatest(clock(), last_event_at + interval '1 millisecond')
        where id = ${prompt.id} returning new_id('evt') as id, last_event_at as at
      )
      insert into events (day, id, name, prompt_id, account_ids, watch_levels, created_at, body, fanned_out_at)
      select at::date, id, ${eventName}, ${prompt.id}, array[${prompt.ownerId}], '{all}', at,
        convert_to(json_build_object('id', id, 'event', ${eventName}::text, 'createdAt', iso(at), 'data',
          ${JSON.stringify({ ...eventAbout(writing, { prompt }), ...moved })}::text::json)::text, 'UTF8'), at
      from moment`,
  );
}

function commit({ prompt }: Author): Promise<void> {
  return sql.begin((tx) => emit(tx, writing, eventName, { prompt }, moved));
}

interface Sides {
  writers: number;
  floor: (writer: number) => Promise<unknown>;
  ours: (writer: number) => Promise<unknown>;
}

/** Runs both in turns. Before each, all that was left is fanned out. */
async function compare(name: string, limit: string | undefined, { writers, ...sides }: Sides): Promise<void> {
  const rates = { floor: [] as number[], ours: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const side of ["floor", "ours"] as const) {
      await sql`update events set fanned_out_at = clock() where fanned_out_at is null`;
      rates[side].push(await rateOf(writers, sides[side]));
    }
  }
  const ratio = median(rates.ours.map((rate, round) => rate / rates.floor[round]!));
  print(name, {
    floor: median(rates.floor),
    ours: median(rates.ours),
    unit: "/s",
    ratio,
    ...(limit !== undefined && { limit }),
  });
}

/** How often per second that many writers get their work done, each one time after the other. */
async function rateOf(writers: number, work: (writer: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + roundMs;
  let done = 0;
  const write = async (writer: number) => {
    while (performance.now() < until) {
      await work(writer);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return (done * 1000) / (performance.now() - startedAt);
}
