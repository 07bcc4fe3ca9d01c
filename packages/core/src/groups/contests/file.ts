import * as z from "zod";
import { handle, line, moment, prose, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptKind } from "../prompts/schemas.ts";
import { contestLimits } from "./limits.ts";
import { type Criterion, EntryType } from "./schemas.ts";

/** A contest as its operator writes it, in a JSON file for `promptreg-server contest apply`. What is absent has its default. */
export interface ContestFile {
  $schema?: string;
  slug: string;
  title: string;
  /** Markdown, as `rules` and `prizes` are. */
  description: string;
  rules: string;
  prizes: string;
  /** Default: both. */
  accepts: EntryType[];
  /** The kinds of prompts that it takes. Default: null, which means all. */
  kinds: PromptKind[] | null;
  /** The four times, none before the one above it. Equal times skip a phase. */
  opensAt: string;
  entriesCloseAt: string;
  votingClosesAt: string;
  judgingClosesAt: string;
  /** Handles. */
  judges: string[];
  criteria: Criterion[];
  /** Default: 3. */
  votesPerUser: number;
  /** Default: 1. */
  entriesPerUser: number;
  /** How much the judges count, 0 to 1. Default: 0.7, and 0 without judges. */
  judgeWeight: number;
}

const text = prose({ max: 20_000 });
const isUnique = (all: readonly string[]) => new Set(all).size === all.length;
const once = { error: "must name each only once" };
const times = ["opensAt", "entriesCloseAt", "votingClosesAt", "judgingClosesAt"] as const;

const Weighed: Schema<Criterion> = z.strictObject({
  key: z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, {
    error: "must begin with a lower-case letter, then hold such letters, digits, hyphens and underscores",
  }),
  label: line({ min: 1, max: 120 }),
  weight: z.number().positive().max(1_000),
});

export const ContestFile: Schema<ContestFile> = z
  .strictObject({
    $schema: z.string().optional(),
    slug,
    title: line({ min: 1, max: 120 }),
    description: text.default(""),
    rules: text.default(""),
    prizes: text.default(""),
    accepts: z.array(EntryType).min(1).refine(isUnique, once).default(["prompt", "make"]),
    kinds: z.array(PromptKind).min(1).refine(isUnique, once).nullable().default(null),
    opensAt: moment,
    entriesCloseAt: moment,
    votingClosesAt: moment,
    judgingClosesAt: moment,
    judges: z.array(handle).max(contestLimits.judgesPerContest).refine(isUnique, once).default([]),
    criteria: z
      .array(Weighed)
      .max(contestLimits.criteriaPerContest)
      .refine((all) => isUnique(all.map(({ key }) => key)), once)
      .default([]),
    votesPerUser: z.int().min(1).max(contestLimits.votesPerUser).default(3),
    entriesPerUser: z.int().min(1).max(contestLimits.entriesPerUser).default(1),
    judgeWeight: z.number().min(0).max(1).optional(),
  })
  .superRefine((contest, context) => {
    for (const [nth, name] of times.entries()) {
      const before = times[nth - 1];
      if (before && contest[name] < contest[before])
        context.addIssue({ code: "custom", path: [name], message: `must not be before ${before}` });
    }
    if (contest.judges.length > 0 && contest.criteria.length === 0)
      context.addIssue({ code: "custom", path: ["criteria"], message: "must name what the judges score" });
  })
  // Where nobody judges, votes are all that there is.
  .transform((contest) => ({
    ...contest,
    judgeWeight: contest.judgeWeight ?? (contest.judges.length === 0 ? 0 : 0.7),
  }));
