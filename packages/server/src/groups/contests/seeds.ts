import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptAt } from "../../../test/seed/prompts.ts";
import { accountAt, dayMs, type Registry } from "../../../test/seed/registry.ts";
import { at, bytesOf, json, type Table } from "../../../test/seed/table.ts";

/** Contests, of which the first has most of the entries, and as many entries, voters of each and judges. */
const size = { contests: 40, entries: 3_000, votes: 6_000, judges: 2 };

/** A contest of each week. Those before the last weeks are closed. */
const openedMs = ({ untilMs }: Registry, index: number): number => untilMs - (index + 1) * 7 * dayMs;
const contestId = (registry: Registry, index: number): string =>
  idOf("con", openedMs(registry, index), index);

interface Entry {
  id: string;
  index: number;
  contest: string;
  prompt: Prompt;
  createdMs: number;
}

/** Those of the first contest, and a few of each other one. */
function* entriesOf(registry: Registry): Generator<Entry> {
  for (let contest = 0; contest < size.contests; contest++) {
    const count = contest === 0 ? Math.min(size.entries, registry.size.prompts) : 10;
    for (let nth = 0; nth < count; nth++) {
      const index = contest * size.entries + nth;
      const createdMs = openedMs(registry, contest) + nth * 1_000;
      const prompt = promptAt(registry, (nth * 7 + contest) % registry.size.prompts);
      yield {
        id: idOf("ent", createdMs, index),
        index,
        contest: contestId(registry, contest),
        prompt,
        createdMs,
      };
    }
  }
}

const criteria = json([{ key: "quality", label: "Quality", weight: 1 }]);
/** The judges are no voters of the seeds. */
const judgeOf = (registry: Registry, nth: number) => accountAt(registry, registry.accounts - 1 - nth);

export const seeds: Table[] = [
  {
    name: "contests",
    columns: (
      "id slug title description rules prizes accepts opens_at entries_close_at voting_closes_at judging_closes_at criteria " +
      "votes_per_user entries_per_user judge_weight result_n"
    ).split(" "),
    *rows(registry) {
      for (let index = 0; index < size.contests; index++) {
        const times = [0, 2, 3, 4].map((days) => at(openedMs(registry, index) + days * dayMs));
        const about = [
          contestId(registry, index),
          `contest-${index}`,
          `Contest ${index}`,
          "",
          "",
          "",
          "{prompt,make}",
        ];
        yield [...about, ...times, criteria, 3, 3, 0.7, 1];
      }
    },
  },
  {
    name: "contest_judges",
    columns: ["contest_id", "user_id", "position"],
    *rows(registry) {
      for (let index = 0; index < size.contests; index++) {
        for (let nth = 0; nth < size.judges; nth++)
          yield [contestId(registry, index), judgeOf(registry, nth).id, nth + 1];
      }
    },
  },
  {
    name: "contest_entries",
    columns: "id contest_id owner_id target_id version_n created_at".split(" "),
    *rows(registry) {
      for (const { id, contest, prompt, createdMs } of entriesOf(registry))
        yield [id, contest, prompt.owner.id, prompt.id, 1, at(createdMs)];
    },
  },
  {
    name: "contest_votes",
    columns: "entry_id user_id contest_id voted_at ip_hash".split(" "),
    *rows(registry) {
      const entries = [...entriesOf(registry)].slice(0, size.entries);
      // Where there are few accounts, one comes to an entry again.
      const pairs = new Set<string>();
      for (let nth = 0; nth < size.votes; nth++) {
        // Each account votes for as many as it may, and the first entries have most of the votes.
        const account = accountAt(registry, 1 + (Math.floor(nth / 3) % (registry.accounts - 10)));
        const entry =
          entries[nth % 3 === 0 ? Math.floor(nth / 3) % 20 : 20 + ((nth * 13) % (entries.length - 20))];
        const pair = `${entry?.id} ${account.id}`;
        if (entry && !pairs.has(pair) && pairs.add(pair))
          yield [entry.id, account.id, entry.contest, at(entry.createdMs), bytesOf(`address ${nth % 500}`)];
      }
    },
  },
  {
    name: "contest_scores",
    columns: "entry_id judge_id scores total scored_at".split(" "),
    *rows(registry) {
      for (const { id, index, createdMs } of entriesOf(registry)) {
        for (let nth = 0; nth < size.judges; nth++) {
          const quality = new Draw(registry.number, 23, index, nth).below(11);
          yield [id, judgeOf(registry, nth).id, json({ quality }), quality, at(createdMs)];
        }
      }
    },
  },
  {
    name: "contest_results",
    columns: ["contest_id", "n", "decided_at"],
    *rows(registry) {
      for (let index = 0; index < size.contests; index++)
        yield [contestId(registry, index), 1, at(openedMs(registry, index) + 4 * dayMs)];
    },
  },
  {
    name: "contest_places",
    columns: "contest_id n rank entry_id votes judged score".split(" "),
    *rows(registry) {
      const ranks = new Map<string, number>();
      for (const { id, contest } of entriesOf(registry)) {
        const rank = (ranks.get(contest) ?? 0) + 1;
        ranks.set(contest, rank);
        yield [contest, 1, rank, id, 0, 5, 3.5];
      }
    },
  },
];
