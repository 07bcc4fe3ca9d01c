import * as z from "zod";
import { id, prose, ref, slug, timestamp, versionNumber } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { MakeSummary } from "../makes/schemas.ts";
import { PromptKind, PromptSummary } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";

/** The phase of a contest. Its four times decide it. Between equal times there is none. */
export type ContestStatus = "scheduled" | "open" | "voting" | "judging" | "closed";
export const ContestStatus: Schema<ContestStatus> = z.enum([
  "scheduled",
  "open",
  "voting",
  "judging",
  "closed",
]);

/** What can be entered, by kind, and how a request names it. */
const enterable = { prompt: ref, make: slug } as const satisfies Record<string, Schema<string>>;
/** A kind of what can be entered. */
export type EntryType = keyof typeof enterable;
export const EntryType: Schema<EntryType> = z.enum(["prompt", "make"]);

/** What judges score. */
export interface Criterion {
  /** Its name in scores. */
  key: string;
  label: string;
  /** How much it counts beside the others. */
  weight: number;
}
export const Criterion: Schema<Criterion> = z
  .strictObject({ key: z.string(), label: z.string(), weight: z.number() })
  .meta({ id: "Criterion" });

/** What a judge gives an entry. */
export interface Score {
  entryId: string;
  judge: UserRef;
  /** 0 to 10, by the key of each criterion. */
  scores: Record<string, number>;
  comment: string | null;
  /** The mean of the scores by the weights of their criteria, 0 to 10. */
  total: number;
}
export const Score: Schema<Score> = z
  .strictObject({
    entryId: id("ent"),
    judge: UserRef,
    scores: z.record(z.string(), z.number()),
    comment: z.string().nullable(),
    total: z.number(),
  })
  .meta({ id: "Score" });

/** What every entry of a contest has. */
interface AnyEntry {
  id: string;
  entrant: UserRef;
  /** What the entrant says about it. */
  statement: string | null;
  /** How many voted for it. Null until the contest is closed, and if it does not compete. */
  votes: number | null;
  /** 0 to 10: the share of judges and that of votes together. Null as `votes` is. */
  score: number | null;
  /** Its place: 1 is the best. Null as `votes` is. */
  rank: number | null;
  /** Those that you gave as a judge; once the contest is closed, all. */
  scores: Score[];
  createdAt: string;
  /** With a token: what it is to you. */
  viewer?: { voted: boolean; isOwn: boolean };
}
/** A prompt in a contest. */
export interface PromptEntry extends AnyEntry {
  type: "prompt";
  target: PromptSummary;
  /** The version that competes: the latest when it was entered. */
  versionNumber: number;
}
/** A make in a contest. */
export interface MakeEntry extends AnyEntry {
  type: "make";
  target: MakeSummary;
  versionNumber: null;
}
const entry = {
  id: id("ent"),
  entrant: UserRef,
  statement: z.string().nullable(),
  votes: z.int().nullable(),
  score: z.number().nullable(),
  rank: z.int().nullable(),
  scores: z.array(Score),
  createdAt: timestamp,
  viewer: z.strictObject({ voted: z.boolean(), isOwn: z.boolean() }).optional(),
};
/** A prompt or a make in a contest. `type` says what `target` is. */
export type ContestEntry = PromptEntry | MakeEntry;
export const ContestEntry: Schema<ContestEntry> = z
  .discriminatedUnion("type", [
    z
      .strictObject({ ...entry, type: z.literal("prompt"), target: PromptSummary, versionNumber })
      .meta({ id: "PromptEntry" }),
    z
      .strictObject({ ...entry, type: z.literal("make"), target: MakeSummary, versionNumber: z.null() })
      .meta({ id: "MakeEntry" }),
  ])
  .meta({ id: "ContestEntry" });

/** A contest. The operator of the registry makes it. */
export interface Contest {
  id: string;
  slug: string;
  title: string;
  /** Markdown, as `rules` and `prizes` are. */
  description: string;
  rules: string;
  prizes: string;
  /** The three texts as HTML; null where there is none yet. */
  html: { description: string | null; rules: string | null; prizes: string | null };
  status: ContestStatus;
  accepts: EntryType[];
  /** The kinds of prompts that it takes; null means all. */
  kinds: PromptKind[] | null;
  opensAt: string;
  entriesCloseAt: string;
  votingClosesAt: string;
  judgingClosesAt: string;
  judges: UserRef[];
  criteria: Criterion[];
  /** How many entries one account can vote for. */
  votesPerUser: number;
  entriesPerUser: number;
  /** How much the judges count, 0 to 1. The votes are the rest. */
  judgeWeight: number;
  /** The three best, once it is closed, as far as lists show them to you. */
  winners: ContestEntry[];
}
export const Contest: Schema<Contest> = z
  .strictObject({
    id: id("con"),
    slug,
    title: z.string(),
    description: z.string(),
    rules: z.string(),
    prizes: z.string(),
    html: z.strictObject({
      description: z.string().nullable(),
      rules: z.string().nullable(),
      prizes: z.string().nullable(),
    }),
    status: ContestStatus,
    accepts: z.array(EntryType),
    kinds: z.array(PromptKind).nullable(),
    opensAt: timestamp,
    entriesCloseAt: timestamp,
    votingClosesAt: timestamp,
    judgingClosesAt: timestamp,
    judges: z.array(UserRef),
    criteria: z.array(Criterion),
    votesPerUser: z.int(),
    entriesPerUser: z.int(),
    judgeWeight: z.number(),
    winners: z.array(ContestEntry),
  })
  .meta({ id: "Contest" });

/** Why something cannot be entered. */
export type IneligibleReason =
  | "type_not_accepted"
  | "kind_not_accepted"
  | "not_published"
  | "not_public"
  | "entry_limit";
/** Something of yours, and whether it can be entered. */
interface AnyEligible {
  /** Whether it is in the contest. */
  entered: boolean;
  /** Why it cannot be entered; null if it can, or is entered. */
  reason: IneligibleReason | null;
}
export interface EligiblePrompt extends AnyEligible {
  type: "prompt";
  target: PromptSummary;
}
export interface EligibleMake extends AnyEligible {
  type: "make";
  target: MakeSummary;
}
const eligible = {
  entered: z.boolean(),
  reason: z
    .enum(["type_not_accepted", "kind_not_accepted", "not_published", "not_public", "entry_limit"])
    .nullable(),
};
/** A prompt or a make of yours, and whether it can be entered. */
export type EligibleWork = EligiblePrompt | EligibleMake;
export const EligibleWork: Schema<EligibleWork> = z
  .discriminatedUnion("type", [
    z
      .strictObject({ ...eligible, type: z.literal("prompt"), target: PromptSummary })
      .meta({ id: "EligiblePrompt" }),
    z
      .strictObject({ ...eligible, type: z.literal("make"), target: MakeSummary })
      .meta({ id: "EligibleMake" }),
  ])
  .meta({ id: "EligibleWork" });

/** What to enter. */
export interface CreateEntry {
  type: EntryType;
  /** Its address: `owner/slug`, or the slug of a make. */
  id: string;
  /** What you say about it. */
  statement?: string | null;
}
export const CreateEntry: Schema<CreateEntry> = z
  .strictObject({
    type: EntryType,
    id: z.union(Object.values(enterable)),
    statement: prose({ max: 1_000 }).nullish(),
  })
  .meta({ id: "CreateEntry" });

/** The address of a contest. */
export interface ContestPath {
  slug: string;
}
export const ContestPath: Schema<ContestPath> = z.strictObject({ slug });
