import type { Contest, ContestEntry, EligibleWork } from "@promptreg/client";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, plain, scoreOf } from "../terminal/text.ts";

/** How a work is named in arguments. */
const nameOf = (work: Pick<ContestEntry, "type" | "target">): string =>
  "ref" in work.target ? work.target.ref : `make:${work.target.slug}`;

const shown = (value: number | null): string => (value === null ? "" : String(value));

const tableOf = (entries: readonly ContestEntry[], output: Output): string =>
  output.table(
    ["rank", "entry", "what", "version", "entrant", "votes", "score", "title", "statement"],
    entries.map((entry) => [
      shown(entry.rank),
      output.colors.bold(entry.id),
      cell(nameOf(entry)),
      shown(entry.versionNumber),
      cell(entry.entrant.handle),
      shown(entry.votes),
      entry.score === null ? "" : scoreOf(entry.score),
      cell(entry.target.title),
      cell(entry.statement ?? ""),
    ]),
    ["what", "statement"],
  );

export async function viewContest({ connect, output }: Context, slug: string): Promise<void> {
  const client = await connect();
  const [contest, { items, hasMore }] = await Promise.all([
    client.contests.get({ slug }),
    take(client.contests.entries.list({ slug, query: { limit: 100 } }), 100),
  ]);
  output.result(contest, () => {
    const { title, status, accepts, kinds, judges, criteria, winners, description, rules, prizes } = contest;
    const { bold } = output.colors;
    const fields = output.fields([
      ["title", bold(cell(title))],
      ["status", status],
      ["takes", [...accepts, ...(kinds ? [`of kind ${kinds.join(", ")}`] : [])].join(", ")],
      ["entries", hasMore ? "more than 100" : String(items.length)],
      ["entries from", output.moment(contest.opensAt)],
      ["votes from", output.moment(contest.entriesCloseAt)],
      ["votes until", output.moment(contest.votingClosesAt)],
      ["closes", output.moment(contest.judgingClosesAt)],
      ["entries of each", String(contest.entriesPerUser)],
      ["votes of each", String(contest.votesPerUser)],
      ["judges", cell(judges.map(({ handle }) => handle).join(", ") || "none")],
      ["criteria", cell(criteria.map(({ key, weight }) => `${key} ×${weight}`).join(", ") || "none")],
    ]);
    const texts = Object.entries({ description, rules, prizes })
      .filter(([, text]) => text !== "")
      .map(([name, text]) => `${bold(name)}\n${plain(text).trimEnd()}`);
    return [fields, ...texts, ...(winners.length > 0 ? [tableOf(winners, output)] : [])].join("\n\n");
  });
}

interface ListOptions {
  limit: number;
}

const tellMore = (
  { output }: Context,
  { items, hasMore }: { items: readonly unknown[]; hasMore: boolean },
  none: string,
) => {
  if (output.isJson) return;
  if (items.length === 0) output.note(none);
  output.more(hasMore);
};

export async function listEntries(
  context: Context,
  slug: string,
  { sort, mine, limit }: ListOptions & { sort?: "newest" | "random" | "rank"; mine?: boolean },
): Promise<void> {
  const { connect, output } = context;
  const query = { sort, mine, limit: Math.min(limit, 100) };
  const page = await take((await connect()).contests.entries.list({ slug, query }), limit);
  output.result(page, () => tableOf(page.items, output));
  tellMore(context, page, `${slug} has no entries.`);
}

/** Whether the clock lets somebody enter what can be entered. */
const entryOf = ({ status, opensAt }: Contest, { moment }: Output): string =>
  status === "scheduled"
    ? `can be entered from ${moment(opensAt)}`
    : status === "open"
      ? "can be entered"
      : "the contest takes no more entries";

export async function listEligible(
  context: Context,
  slug: string,
  { type, limit }: ListOptions & { type?: EligibleWork["type"] },
): Promise<void> {
  const { connect, output } = context;
  const query = { type, limit: Math.min(limit, 100) };
  const client = await connect();
  const [page, contest] = await Promise.all([
    take(client.contests.eligible({ slug, query }), limit),
    client.contests.get({ slug }),
  ]);
  output.result(page, () =>
    output.table(
      ["what", "state", "title"],
      page.items.map((work) => [
        output.colors.bold(cell(nameOf(work))),
        work.entered ? "entered" : (work.reason?.replaceAll("_", " ") ?? entryOf(contest, output)),
        cell(work.target.title),
      ]),
      ["what", "state"],
    ),
  );
  tellMore(context, page, "You have nothing that could be entered.");
}

export async function withdrawEntry(
  { connect, confirm, output }: Context,
  slug: string,
  id: string,
): Promise<void> {
  const client = await connect();
  await confirm(`Withdraw ${id} from ${slug}, with the votes for it?`);
  await client.contests.entries.delete({ slug, id });
  output.result({ id, deleted: true }, () => `${output.colors.bold(id)} is withdrawn`);
}
