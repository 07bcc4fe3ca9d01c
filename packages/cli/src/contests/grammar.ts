import type { ContestStatus } from "@promptreg/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { countOption, slugArgument, workArgument, type Work } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling, listing } from "../grammar/operation.ts";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.
const phases: Record<ContestStatus, true> = {
  scheduled: true,
  open: true,
  voting: true,
  judging: true,
  closed: true,
};

function entryArgument(text: string): string {
  if (/^ent_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Write the id of an entry: ent_ and 26 letters and digits. `promptreg contest entries` shows them.",
  );
}

/** Gathers `key=number`. */
function scoreOption(text: string, earlier: Record<string, number> = {}): Record<string, number> {
  const [, key = "", number] = /^([a-z][a-z0-9_-]*)=(\d{1,2}(?:\.\d{1,4})?)$/.exec(text) ?? [];
  if (number === undefined || Number(number) > 10)
    throw new InvalidArgumentError("Write the key of a criterion and a number from 0 to 10, such as use=8.");
  return { ...earlier, [key]: Number(number) };
}

const contest = ["<contest>", "its slug, such as best-reviewer", slugArgument] as const;
const entry = ["<entry>", "its id, such as ent_01jd…", entryArgument] as const;
const limit = ["-n, --limit <count>", "the most to show", countOption, 30] as const;
const named = (slug: string, id: string) => ({ slug, id });

/** What is done with contests. */
export function addContestCommands(program: Command, action: Action): void {
  const contests = program.command("contest").description("Shows contests, enters works, votes and scores.");
  addReading(contests, action);
  addEntering(contests, action);
  addVoting(contests, action);
}

function addReading(contests: Command, action: Action): void {
  example(contests.command("list"), "promptreg contest list --status open")
    .description("Lists contests, the last to open first.")
    .addOption(new Option("--status <status>", "only those in this phase").choices(Object.keys(phases)))
    .option(...limit)
    .action(
      action(
        listing("contests.list", ({ status }: { status?: ContestStatus }) => ({ query: { status } }), {
          columns: ["slug", "title", "status", "entriesCloseAt", "votingClosesAt"],
          none: "There are no contests.",
        }),
      ),
    );

  example(contests.command("view"), "promptreg contest view best-reviewer")
    .description("Shows a contest, and once it is closed its winners.")
    .argument(...contest)
    .action(action(async () => (await import("./show.ts")).viewContest));

  example(contests.command("entries"), "promptreg contest entries best-reviewer --sort random")
    .description("Lists the entries of a contest. Votes, scores and ranks are shown once it is closed.")
    .argument(...contest)
    .addOption(new Option("--sort <order>", "the order").choices(["newest", "random", "rank"]))
    .option("--mine", "only your own")
    .option(...limit)
    .action(action(async () => (await import("./show.ts")).listEntries));

  example(contests.command("eligible"), "promptreg contest eligible best-reviewer --type make")
    .description("Lists your prompts and makes, and says which can be entered, and why others cannot.")
    .argument(...contest)
    .addOption(new Option("--type <type>", "only these").choices(["prompt", "make"]))
    .option(...limit)
    .action(action(async () => (await import("./show.ts")).listEligible));
}

function addEntering(contests: Command, action: Action): void {
  example(
    contests.command("enter"),
    "promptreg contest enter best-reviewer ada/support-reply --statement 'It asks first'",
  )
    .description("Enters a prompt or a make of yours. Of a prompt, its latest version competes.")
    .argument(...contest)
    .argument("<what>", "owner/slug, or make:slug", workArgument)
    .option("--statement <text>", "what you say about it")
    .action(
      action(
        calling(
          "contests.entries.create",
          (slug: string, work: Work, { statement }: { statement?: string }) => ({
            slug,
            body: { ...work, statement },
          }),
          ({ colors }, slug, { type, id }) =>
            `${colors.bold(type === "make" ? `make:${id}` : id)} is in ${slug}`,
        ),
      ),
    );

  example(contests.command("withdraw"), "promptreg contest withdraw best-reviewer ent_01jd…")
    .description("Withdraws your entry with the votes for it, after asking.")
    .argument(...contest)
    .argument(...entry)
    .action(action(async () => (await import("./show.ts")).withdrawEntry));
}

function addVoting(contests: Command, action: Action): void {
  example(contests.command("vote"), "promptreg contest vote best-reviewer ent_01jd…")
    .description("Votes for an entry. A contest says how many you can vote for.")
    .argument(...contest)
    .argument(...entry)
    .action(action(calling("contests.entries.vote", named)));

  example(contests.command("unvote"), "promptreg contest unvote best-reviewer ent_01jd…")
    .description("Takes your vote for an entry back.")
    .argument(...contest)
    .argument(...entry)
    .action(action(calling("contests.entries.unvote", named)));

  example(
    contests.command("score"),
    "promptreg contest score best-reviewer ent_01jd… --give use=8 --give style=6.5",
  )
    .description("Scores an entry as a judge, by each criterion of the contest.")
    .argument(...contest)
    .argument(...entry)
    .addOption(
      new Option("--give <score>", "a criterion and 0 to 10, such as use=8; can be repeated")
        .argParser(scoreOption)
        .makeOptionMandatory(),
    )
    .option("--comment <text>", "what you say about it")
    .action(
      action(
        calling(
          "contests.entries.score",
          (
            slug: string,
            id: string,
            { give: scores, comment }: { give: Record<string, number>; comment?: string },
          ) => ({ slug, id, body: { scores, comment } }),
          ({ colors }, _, id, { give }) =>
            `${colors.bold(id)} has your score: ${Object.entries(give)
              .map(([key, number]) => `${key} ${number}`)
              .join(", ")}`,
        ),
      ),
    );
}
