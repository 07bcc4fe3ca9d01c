import type { ContestStatus } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import {
  each,
  expectDone,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";
import { applyContest } from "./apply.ts";
import type { Written } from "./apply.sql.ts";

const phases: readonly ContestStatus[] = ["scheduled", "open", "voting", "judging", "closed"];

/** Puts the times of a contest so that it is in the middle of a phase, each of which takes an hour. */
export const putInto = (sql: Sql, slug: string, phase: ContestStatus) => sql`
  update contests set opens_at = at, entries_close_at = at + interval '1 hour', voting_closes_at = at + interval '2 hours',
    judging_closes_at = at + interval '3 hours'
  from (select clock() + make_interval(mins => 30 - 60 * ${phases.indexOf(phase)}) as at) begins where slug = ${slug}`;

/** A contest that is open for another half hour. */
export async function newContest(
  { server: { sql }, owner }: Pick<Stage, "server" | "owner">,
  about: Partial<Written> = {},
) {
  const slug = `contest-of-${owner.handle}-${nextNumber()}`;
  const [clock] = await sql<{ now: Date }[]>`select clock() as now`;
  const inHours = (hours: number) => new Date(Number(clock?.now) + 3_600_000 * hours).toISOString();
  const contest: Written = {
    slug,
    title: "Best of all",
    description: "Show **what** you have.",
    rules: "One each.",
    prizes: "Fame.",
    accepts: ["prompt", "make"],
    kinds: null,
    opensAt: inHours(1),
    entriesCloseAt: inHours(2),
    votingClosesAt: inHours(3),
    judgingClosesAt: inHours(4),
    judges: [owner.handle],
    criteria: [{ key: "quality", label: "Quality", weight: 1 }],
    votesPerUser: 3,
    entriesPerUser: 20,
    judgeWeight: 0.7,
    ...about,
  };
  await sql.begin((sql) => applyContest(sql, contest));
  await putInto(sql, slug, "open");
  return slug;
}

/** Enters a prompt of the owner's while a contest is open. */
async function enter(
  { server: { sql }, owner }: Stage,
  slug: string,
  prompt: Thing,
  statement = "Look",
): Promise<string> {
  await putInto(sql, slug, "open");
  const body = { type: "prompt", id: prompt.address, statement };
  return (await expectDone(owner, `POST /contests/${slug}/entries`, body)).id;
}
const enterNew = async (stage: Stage, { address }: Thing) =>
  enter(stage, address, (await stage.make("prompt")).thing);

/** The owner of all that is staged votes for nothing of their own, and scores none of it. */
const ofAnother = async ({ server }: Stage, { address }: Thing) => {
  const { id } = await server.join("contributor");
  await server.sql`update contest_entries set owner_id = ${id} where id = ${address}`;
};

const path = ({ params }: Thing) => `/contests/${String(params["slug"])}/entries/${String(params["id"])}`;

export const scenes: GroupScenes<"contests"> = {
  kinds: {
    contest: {
      isAlwaysVisible: true,
      make: async (stage) => {
        const slug = await newContest(stage);
        return { params: { slug }, address: slug, as: { judge: stage.owner } };
      },
    },
    contest_entry: {
      below: "contest",
      make: async (stage, { visibility, above }) => {
        const { thing: prompt } = await stage.make("prompt");
        const id = await enter(stage, above.address, prompt);
        await putInto(stage.server.sql, above.address, "voting");
        if (visibility === "private")
          await expectDone(stage.owner, `PATCH /prompts/${prompt.address}`, { visibility });
        const as = { entrant: stage.owner, judge: stage.owner };
        return { params: { slug: above.address, id }, address: id, as };
      },
      remove: ({ owner }, thing) => expectDone(owner, `DELETE ${path(thing)}`),
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("contest");
      },
      list: { path: "/contests", queries: ["", ...each("status", phases.join(" "))] },
    },
    get: { etag: "printed" },
    eligible: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("prompt");
      },
      list: { path: "/contests/contest-0/eligible", queries: ["", ...each("type", "prompt make")] },
    },
    "entries.list": {
      fill: async (stage, contest) => {
        for (const _ of [1, 2]) await enterNew(stage, contest);
      },
      list: {
        path: "/contests/contest-0/entries",
        queries: ["", ...each("sort", "newest rank"), ...each("mine", "true")],
        broad: each("sort", "random"),
      },
    },
    "entries.create": {
      prepare: ({ server: { sql } }, _, { params }) =>
        sql`update prompts set visibility = 'public' where slug = ${String(params["slug"])}`,
    },
    "entries.delete": {},
    "entries.score": { prepare: ofAnother, body: { scores: { quality: 8 } } },
    "entries.vote": { prepare: ofAnother, isEchoing: true },
    "entries.unvote": { isEchoing: true, isAudited: false },
  },
  shows: async (stage, { address, params, word, isDraft }) => {
    const slug = await newContest(stage);
    const contest = { params: { slug }, address: slug };
    if (isDraft) return { contest };
    const id = await enter(stage, slug, { params, address }, word);
    const { sql } = stage.server;
    await putInto(sql, slug, "voting");
    await expectDone(stage.viewer, `POST /contests/${slug}/entries/${id}/vote`);
    await putInto(sql, slug, "closed");
    await expectDone(stage.viewer, `GET /contests/${slug}`);
    return { contest };
  },
  changes: {
    "a vote of one's own in a contest": ({ viewer }, { contest_entry }) =>
      expectDone(viewer, `POST ${path(contest_entry)}/vote`),
    "a vote that is taken back": ({ viewer }, { contest_entry }) =>
      expectDone(viewer, `DELETE ${path(contest_entry)}/vote`),
    "one more entry": (stage, { contest }) => enterNew(stage, contest),
    "another phase of a contest": ({ server }, { contest }) =>
      putInto(server.sql, contest.address, "judging"),
    "the end of an entry": ({ owner }, { contest_entry }) =>
      expectDone(owner, `DELETE ${path(contest_entry)}`),
    // Whoever reads it first computes its result, and tells those who took part.
    "the end of a contest": async ({ server, owner }, { contest }) => {
      await putInto(server.sql, contest.address, "closed");
      await expectDone(owner, `GET /contests/${contest.address}`);
    },
  },
  keeps: {
    "somebody else's vote in a contest": async ({ server }, { contest_entry }) =>
      expectDone(await server.join("somebody-else"), `POST ${path(contest_entry)}/vote`),
  },
};
