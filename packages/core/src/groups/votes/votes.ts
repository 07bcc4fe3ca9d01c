import * as z from "zod";
import { id } from "../../language/fields.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";

/** What can be voted on, by the prefix of its ids. */
const kinds = { example: "exm", comment: "cmt", post: "pst" } as const;
type VotedKind = keyof typeof kinds;

/** Who may vote on each kind. */
const on = { example: "viewers", comment: "viewers", post: "viewers" } as const satisfies Record<
  VotedKind,
  "viewers"
>;

/** What is voted on. */
export interface VoteTarget {
  type: VotedKind;
  id: string;
}
const VoteTarget: Schema<VoteTarget> = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("example"), id: id(kinds.example) }).meta({ id: "VotedExample" }),
    z.strictObject({ type: z.literal("comment"), id: id(kinds.comment) }).meta({ id: "VotedComment" }),
    z.strictObject({ type: z.literal("post"), id: id(kinds.post) }).meta({ id: "VotedPost" }),
  ])
  .meta({ id: "VoteTarget" });

/** A vote. */
export interface PutVote {
  target: VoteTarget;
  /** 1: up. -1: down. */
  value: 1 | -1;
}
const value: Schema<1 | -1> = z.literal([1, -1]);
const PutVote: Schema<PutVote> = z.strictObject({ target: VoteTarget, value }).meta({ id: "PutVote" });

/** Whose vote to withdraw. */
export interface DeleteVote {
  /** `example:exm_…`, `comment:cmt_…` or `post:pst_…`. */
  target: string;
}
const DeleteVote: Schema<DeleteVote> = z.strictObject({
  target: z
    .string()
    .regex(new RegExp(`^(${Object.keys(kinds).join("|")}):[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$`), {
      error: `must be what is voted on, by its kind and its id, such as ${Object.keys(kinds)[0]}:…`,
    }),
});

/** The votes on something, with yours. */
export interface Voted {
  target: VoteTarget;
  up: number;
  down: number;
  /** Your vote; null if you have none. */
  value: 1 | -1 | null;
}
const Voted: Schema<Voted> = z
  .strictObject({ target: VoteTarget, up: z.int(), down: z.int(), value: value.nullable() })
  .meta({ id: "Voted" });

export const votes = {
  /** Votes on something, or changes your vote. Nobody votes on what they made themselves. */
  put: op({
    route: "PUT /votes",
    access: {
      auth: "required",
      scope: "write",
      on,
      from: "body.target",
      namesKind: true,
      refuse: { author: "own_content" },
    },
    body: json(PutVote),
    results: { 200: json(Voted) },
    errors: ["comment_deleted", "comment_hidden"],
  }),
  /** Withdraws your vote, if there is one. */
  delete: op({
    route: "DELETE /votes",
    access: { auth: "required", scope: "write", on, from: "query.target", namesKind: true },
    query: DeleteVote,
    results: { 200: json(Voted) },
  }),
};
