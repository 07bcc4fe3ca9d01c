import type { Voted, VoteTarget } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { count, selectCount } from "../../kernel/changes/counters.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { requireVisible } from "../comments/index.ts";
import { deleteVote, insertVote, turnVote } from "./votes.sql.ts";

const counterOf = { 1: "up", [-1]: "down" } as const;

/** Counts one vote more or less. */
const countVote = (sql: Sql, subjectId: string, value: 1 | -1, delta: number) =>
  count(sql, { subjectId, name: counterOf[value], delta });

const votesOf = async (sql: Sql, target: VoteTarget, value: Voted["value"]): Promise<Voted> => ({
  target,
  up: await selectCount(sql, { subjectId: target.id, name: "up" }),
  down: await selectCount(sql, { subjectId: target.id, name: "down" }),
  value,
});

export const put: HandlerWith<"votes.put", {}> = {
  lock: "share",

  async handle({ body: { target, value }, caller, target: voted, sql }) {
    if (voted.type === "comment") requireVisible(voted);
    const { id } = voted;
    const vote = { userId: caller.id, targetId: id, value };
    const { count: added } = await insertVote(sql, vote);
    // Whoever voted already waits here for their own other request, so the statement sees its vote.
    const { count: turned } = added > 0 ? { count: 0 } : await turnVote(sql, vote);
    if (added + turned > 0) await countVote(sql, id, value, 1);
    if (turned > 0) await countVote(sql, id, value === 1 ? -1 : 1, -1);
    return { status: 200, json: await votesOf(sql, target, value) };
  },
};

const remove: HandlerWith<"votes.delete", {}> = {
  lock: "share",

  async handle({ query, caller, target: { id }, sql }) {
    const value = await deleteVote(sql, { userId: caller.id, targetId: id });
    if (value !== null) await countVote(sql, id, value, -1);
    const [type] = query.target.split(":") as [VoteTarget["type"]];
    return { status: 200, json: await votesOf(sql, { type, id }, null) };
  },
};
export { remove as delete };
