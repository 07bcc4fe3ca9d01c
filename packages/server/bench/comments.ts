/**
 * A page of threads against a bare HTTP handler that runs its statement, the rate at which people comment against a bare transaction that writes the same rows and against
 * a bare HTTP handler that runs it, and a page of a collection of 500 prompts against a page of a list.
 */
import type { Comment } from "@promptreg/core";
import type { Sql } from "postgres";
import { renderer } from "../src/kernel/markdown/render.ts";
import { commentBare } from "./bare-comment.ts";
import { median, print } from "./deliveries/print.ts";
import { closeConnections, exchange, rateOf } from "./exchange.ts";
import { withRegistry } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const reads = isShort ? 5 : 400;
const [rounds, roundMs] = isShort ? [1, 100] : [7, 1_000];
const pageLength = 100;
const items = 500;
/** How many were written. */
let texts = 0;
const newText = () => `Number ${++texts} is what I would try first, since it is **shorter**.`;

await withRegistry(async ({ origin, token, startFloor, sql }) => {
  const { port } = new URL(origin);
  const ask = (route: string, body?: object) => {
    const [method, path] = route.split(" ");
    return exchange({ port: Number(port), route: `${method} /api/v1${path}`, token, ...(body && { body }) });
  };
  const files = [{ path: "PROMPT.md", content: "Be brief." }];
  const prompt = { kind: "text", slug: "discussed", title: "Discussed", visibility: "public", files };
  const { id: promptId, owner } = JSON.parse(await ask("POST /prompts", prompt)) as {
    id: string;
    owner: { id: string; handle: string };
  };
  await plantThreads(sql, promptId, owner.id);
  const collectionId = await plantCollection(sql, owner.id, (body) => ask("POST /collections", body));
  await sql`vacuum analyze`;

  const floorPort = await startFloor();
  const threads = await alternate({
    floor: () => exchange({ port: floorPort, route: `GET /threads/${promptId}`, token }),
    ours: () => ask("GET /comments?target=prompt:bench/discussed"),
  });
  print("a page of threads", { ...threads, unit: "ms", limit: "1.30" });

  const list = await alternate({
    floor: () => ask(`GET /prompts?sort=newest&limit=${pageLength}`),
    ours: () => ask(`GET /collections/${collectionId}?limit=${pageLength}`),
  });
  print(`${pageLength} of ${items} items of a collection, against ${pageLength} of a list`, {
    ...list,
    unit: "ms",
    limit: "2.00",
  });

  const target = { type: "prompt", id: "bench/discussed" };
  const sides: Record<"transaction" | "handler" | "ours", () => Promise<unknown>> = {
    transaction: () => commentBare(sql, { promptId, userId: owner.id, text: newText() }),
    handler: () =>
      exchange({
        port: floorPort,
        route: `POST /comments/${promptId}`,
        token,
        body: { target, body: newText() },
      }),
    ours: () => ask("POST /comments", { target, body: newText() }),
  };
  for (const writers of [1, 8]) {
    const rates = { transaction: [], handler: [], ours: [] } as Record<keyof typeof sides, number[]>;
    for (let round = 0; round < rounds; round++) {
      for (const [side, write] of Object.entries(sides) as [keyof typeof sides, () => Promise<unknown>][])
        rates[side].push(await rateOf({ writers, ms: roundMs }, write));
    }
    for (const floor of ["transaction", "handler"] as const) {
      print(`${writers} commenting on a prompt, against a bare ${floor}`, {
        floor: median(rates[floor]),
        ours: median(rates.ours),
        ratio: median(rates.ours.map((rate, round) => rate / rates[floor][round]!)),
        unit: "/s",
        ...(floor === "handler" && { limit: "0.60" }),
      });
    }
  }
  const held = await sql<
    Pick<Comment, "status">[]
  >`select status from comments where status <> 'visible' limit 1`;
  if (held.length > 0) throw new Error("a comment was held, which costs less");
});
closeConnections();

/** So many threads, each with three replies. */
async function plantThreads(sql: Sql, promptId: string, userId: string): Promise<void> {
  const columns = sql`prompt_id, target, author_id, body, body_html, body_renderer, body_hash, mentions, status, published_at`;
  const text = sql`'I think so too, ' || nth, '<p>I think so too, ' || nth || '</p>', ${renderer}::int, sha256(nth::text::bytea), '{}', 'visible', clock()`;
  await sql`
    with roots as (
      insert into comments (${columns}, reply_count)
      select ${promptId}, ${promptId}, ${userId}, ${text}, 3 from generate_series(1, 1000) nth returning id
    )
    insert into comments (${columns}, parent_id, reply_to)
    select ${promptId}, ${promptId}, ${userId}, ${text}, roots.id, roots.id from roots, generate_series(1, 3) nth`;
}

/** A collection that is full of prompts; gives its id. */
async function plantCollection(
  sql: Sql,
  userId: string,
  create: (body: object) => Promise<string>,
): Promise<string> {
  const { id } = JSON.parse(await create({ title: "All", visibility: "public" })) as { id: string };
  await sql`
    with made as (
      insert into prompts (owner_id, slug, kind, title, visibility, status, rating, license, published_at)
      select ${userId}, 'item-' || nth, 'text', 'Item ' || nth, 'public', 'published', 'general', 'MIT', clock()
      from generate_series(1, ${items}::int) nth returning id
    )
    insert into collection_items (collection_id, target_id, position)
    select ${id}, id, row_number() over () from made`;
  return id;
}

/** The median time of each side in milliseconds, in turns. */
async function alternate(sides: Record<"floor" | "ours", () => PromiseLike<unknown>>) {
  const times = { floor: [] as number[], ours: [] as number[] };
  for (let nth = 0; nth < reads; nth++) {
    for (const side of ["floor", "ours"] as const) {
      const from = performance.now();
      await sides[side]();
      times[side].push(performance.now() - from);
    }
  }
  return { floor: median(times.floor), ours: median(times.ours) };
}
