/**
 * The rate at which versions are committed over HTTP, against two floors: a bare HTTP handler that runs the same
 * statements, and a bare transaction that writes the same rows.
 */
import type { ChildProcess } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { makeToken } from "../src/kernel/accounts/token.ts";
import { median } from "./deliveries/print.ts";
import { closeConnections, exchange, rateOf } from "./exchange.ts";
import { letIn, startSide } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const rounds = isShort ? 1 : 5;
const roundMs = isShort ? 200 : 2_000;

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const address = parseDatabaseUrl(database.url);
const sql = connect(address);
const token = makeToken();
const children: ChildProcess[] = [];
let texts = 0;
try {
  await migrate(address);
  const userId = await letIn(sql, token);
  const [ours, handler] = [await start("ours"), await start("floor")];
  for (const writers of [1, 8, 64]) {
    for (const place of ["different prompts", "the same prompt"]) {
      const rates: Rates = { transaction: [], handler: [], ours: [] };
      for (let round = 0; round < rounds; round++) {
        // New ones in every round: a prompt takes 10,000 versions and no more.
        const prompts = await makePrompts(ours, place === "the same prompt" ? 1 : writers);
        const at = (writer: number) => prompts[writer % prompts.length]!;
        rates.transaction.push(
          await rateOf({ writers, ms: roundMs }, (writer) => commitBare(at(writer).id, userId)),
        );
        rates.handler.push(
          await rateOf({ writers, ms: roundMs }, (writer) => commit(handler, `/commit/${at(writer).slug}`)),
        );
        rates.ours.push(
          await rateOf({ writers, ms: roundMs }, (writer) => commit(ours, versionsOf(at(writer).slug))),
        );
      }
      print(`${writers} writing to ${place}`, rates);
    }
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  closeConnections();
  await sql.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function start(side: "floor" | "ours"): Promise<number> {
  const { child, port } = await startSide(side, { url: database.url, token });
  children.push(child);
  return port;
}

/** An entry file of two kilobytes that nobody wrote before. */
function newText(): string {
  return `Number ${++texts} of this benchmark.
${"Be brief, warm and exact. ".repeat(80)}
`;
}

function filesOf(content: string) {
  return [{ path: "PROMPT.md", content }];
}

async function makePrompts(port: number, count: number): Promise<{ id: string; slug: string }[]> {
  const made = [];
  for (let nth = 0; nth < count; nth++) {
    const slug = `p-${++texts}`;
    const body = { kind: "text", slug, title: "Committed to", files: filesOf(newText()) };
    const { id } = JSON.parse(await exchange({ port, route: "POST /api/v1/prompts", token, body })) as {
      id: string;
    };
    made.push({ id, slug });
  }
  return made;
}

function versionsOf(slug: string): string {
  return `/api/v1/prompts/bench/${slug}/versions`;
}

function commit(port: number, path: string): Promise<unknown> {
  return exchange({ port, route: `POST ${path}`, token, body: { files: filesOf(newText()) } });
}

/** What a careful person would write for this one purpose: a lock, and one statement with all rows of a commit. */
async function commitBare(promptId: string, userId: string): Promise<void> {
  const content = Buffer.from(newText());
  const digest = createHash("sha256").update(content).digest();
  const contentHash = `sha256:${hash("sha256", ["PROMPT.md", "100644", `${digest.toString("hex")}\n`].join("\0"))}`;
  await sql.begin(async (sql) => {
    const [prompt] = await sql<{ next: number }[]>`
      select last_version + 1 as next from prompts where id = ${promptId} for no key update`;
    await writeVersion(sql, { promptId, userId, n: prompt!.next, content, digest, contentHash });
  });
}

interface BareVersion {
  promptId: string;
  userId: string;
  n: number;
  content: Buffer;
  digest: Buffer;
  contentHash: string;
}

function writeVersion(
  sql: TransactionSql,
  { promptId, userId, n, content, digest, contentHash }: BareVersion,
) {
  return sql`
  with blob as (
    insert into blobs (sha256, content) values (${digest}, ${content}) on conflict do nothing
  ), version as (
    insert into versions (prompt_id, n, entry, content_hash, variables, config, token_estimate, author_id,
      author_handle, origin)
    values (${promptId}, ${n}, 'PROMPT.md', ${contentHash}, '[]', '{}', 500, ${userId}, 'bench', '{"type": "commit"}')
    returning id
  ), file as (
    insert into version_files (version_id, path, mode, size, sha256, media_type, encoding)
    select id, 'PROMPT.md', '100644', ${content.length}, ${digest}, 'text/markdown', 'utf8' from version
  ), document as (
    insert into search_documents (type, id, document)
    values ('prompt', ${promptId}, setweight(to_tsvector('english', 'Committed to'), 'A')
      || setweight(to_tsvector('english', ${content.toString()}), 'D'))
    on conflict (type, id) do update set document = excluded.document
  ), prompt as (
    update prompts set last_version = ${n}, latest_version = ${n}, revision = revision + 1, updated_at = clock(),
      last_event_at = greatest(clock(), last_event_at + interval '1 millisecond')
    where id = ${promptId}
    returning new_id('evt') as event_id, last_event_at as at
  ), event as (
    insert into events (day, id, name, prompt_id, account_ids, watch_levels, created_at, body)
    select at::date, event_id, 'prompt.version.created', ${promptId}, array[${userId}], '{releases,all}', at,
      convert_to(json_build_object('id', event_id, 'event', 'prompt.version.created', 'createdAt', iso(at),
        'version', version.id)::text, 'UTF8')
    from prompt, version
  )
  select`;
}

/** Commits a second, round by round. */
type Rates = Record<"transaction" | "handler" | "ours", number[]>;

function print(name: string, { ours, ...floors }: Rates): void {
  const perSecond = (rates: number[]) => `${String(Math.round(median(rates))).padStart(5)}/s`;
  const cells = Object.entries(floors).map(([floor, rates]) => {
    const ratio = median(ours.map((rate, round) => rate / rates[round]!));
    return `${floor} ${perSecond(rates)} ratio ${ratio.toFixed(2)}`;
  });
  console.log([name.padEnd(30), `ours ${perSecond(ours)}`, ...cells].join("   "));
}
