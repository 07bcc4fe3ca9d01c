import type { PostStatus } from "@promptreg/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { collect, countOption, postArgument, slugArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { listing } from "../grammar/operation.ts";
import { addVoteCommand } from "../votes/index.ts";
import type { RevisionName } from "./revisions.ts";

const statuses: PostStatus[] = ["draft", "in_review", "published"];

function seriesArgument(text: string): string {
  if (/^ser_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Write the id of a series: ser_ and 26 letters and digits. `promptreg post series list` shows yours.",
  );
}

function revisionArgument(text: string): RevisionName {
  if (/^rev_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return { revision: text };
  if (/^[1-9]\d{0,8}$/.test(text)) return { number: Number(text) };
  throw new InvalidArgumentError("Write the number of a revision, such as 3, or its id: rev_…");
}

const postArguments = (text: string, earlier: string[] = []): string[] => [...earlier, postArgument(text)];

const one = ["<post>", "its id, such as pst_01jd…", postArgument] as const;
const series = ["<series>", "its id, such as ser_01jd…", seriesArgument] as const;
const limit = ["-n, --limit <count>", "the most to show", countOption, 30] as const;
const note = ["--note <text>", "what you say to moderators about it"] as const;

/** What is done with posts. */
export function addPostCommands(program: Command, action: Action): void {
  const posts = program.command("post").description("Writes posts of the blog as files, and publishes them.");
  addReading(posts, action);
  addFiles(posts, action);
  addChanging(posts, action);
  addPublishing(posts, action);
  addRevisions(posts, action);
  addSeries(posts, action);
}

function addReading(posts: Command, action: Action): void {
  example(
    posts.command("list"),
    "promptreg post list --status draft\npromptreg post list --public --query 'first steps' --sort votes",
  )
    .description("Lists your own posts, or published ones by --public, --author, --tag or --series.")
    .option("--public", "all published posts")
    .option("--author <handle>", "published posts of this account")
    .option("--tag <tag>", "only with this tag; can be repeated", collect)
    .option("--series <series>", "the parts of this series", seriesArgument)
    .option("--query <words>", 'search words: "exact phrase", -not, or')
    .addOption(new Option("--status <status>", "only these of your own").choices(statuses))
    .addOption(
      new Option("--sort <order>", "the order; by votes, which are counted for it once an hour").choices([
        "newest",
        "votes",
      ]),
    )
    .addOption(
      new Option("--in-review", "for moderators: what waits for one, the oldest first").conflicts([
        "public",
        "author",
        "tag",
        "series",
        "query",
        "status",
        "sort",
      ]),
    )
    .option(...limit)
    .action(action(async () => (await import("./list.ts")).listPosts));

  example(posts.command("view"), "promptreg post view pst_01jd…\npromptreg post view pst_01jd… --revision 3")
    .description("Shows a post with its text: for its author, the one that is being written.")
    .argument(...one)
    .option("--published", "the text that readers see")
    .addOption(
      new Option("--revision <revision>", "the text of a revision, by its number or id")
        .argParser(revisionArgument)
        .conflicts("published"),
    )
    .action(action(async () => (await import("./view.ts")).viewPost));

  addVoteCommand(posts, action, { type: "post", id: "pst_01jd…", one });
}

function addFiles(posts: Command, action: Action): void {
  example(posts.command("new"), "promptreg post new first-steps.md --title 'First steps'")
    .description("Writes a file to begin a post with. Nothing is sent.")
    .argument("<file>", "the file")
    .requiredOption("--title <text>", "its title")
    .action(action(async () => (await import("./pull.ts")).newPost));

  example(
    posts.command("push"),
    "promptreg post push first-steps.md\npromptreg post push first-steps.md --submit --note 'My first post'",
  )
    .description(
      "Makes a post what a file of Markdown says, with the pictures that it shows. Only what changed is sent. Readers see it after --submit.",
    )
    .argument("<file>", "the file")
    .option("--submit", "submit it at the end: to moderators, or to readers if you are trusted")
    .option(...note)
    .option("--force", "also over a text that was written elsewhere; a revision keeps that")
    .action(action(async () => (await import("./push.ts")).pushPost));

  example(
    posts.command("pull"),
    "promptreg post pull pst_01jd…\npromptreg post pull pst_01jd… blog/first-steps.md",
  )
    .description(
      "Writes a post of yours to a file, with its pictures beside it. Asks before it overwrites what was not pushed.",
    )
    .argument(...one)
    .argument("[file]", "the file (default: its slug with .md)")
    .action(action(async () => (await import("./pull.ts")).pullPost));
}

function addChanging(posts: Command, action: Action): void {
  example(posts.command("edit"), "promptreg post edit pst_01jd… --tag start --series ser_01jd…")
    .description("Changes what a post says about itself. A title and a summary are published with the text.")
    .argument(...one)
    .option("--title <text>", "the new title")
    .option("--summary <text>", "one line about it")
    .option("--tag <tag>", "a tag; can be repeated", collect)
    .option("--slug <slug>", "the new slug", slugArgument)
    .option("--series <series>", "a series of yours; it stands last there", seriesArgument)
    .option("--no-series", "take it out of its series")
    .action(action(async () => (await import("./change.ts")).editPost));

  example(posts.command("delete"), "promptreg post delete pst_01jd…")
    .description("Deletes a post, after asking.")
    .argument(...one)
    .action(action(async () => (await import("./change.ts")).deletePost));
}

function addPublishing(posts: Command, action: Action): void {
  example(posts.command("submit"), "promptreg post submit pst_01jd… --note 'My first post'")
    .description("Submits the text that is being written: to moderators, or to readers if you are trusted.")
    .argument(...one)
    .option(...note)
    .action(action(async () => (await import("./change.ts")).submitPost));

  example(posts.command("withdraw"), "promptreg post withdraw pst_01jd…")
    .description("Takes back what was submitted, to go on writing.")
    .argument(...one)
    .action(action(async () => (await import("./change.ts")).withdrawPost));

  example(posts.command("unpublish"), "promptreg post unpublish pst_01jd…")
    .description("Makes a draft of a published post again, after asking.")
    .argument(...one)
    .option("--reason <text>", "for moderators: why, for its author")
    .action(action(async () => (await import("./change.ts")).unpublishPost));

  example(
    posts.command("review"),
    "promptreg post review pst_01jd… --reject --reason 'It is an ad'\npromptreg post review pst_01jd… --approve --revision rev_01jd…",
  )
    .description("Decides about a post that is in review. For moderators.")
    .argument(...one)
    .option("--approve", "publish it")
    .option("--reject", "do not publish it")
    .option(
      "--revision <id>",
      "the text that you read, as `view` names it; without it, you are asked about the one that waits",
    )
    .option("--reason <text>", "why, for its author: with --reject it is needed")
    .action(action(async () => (await import("./change.ts")).reviewPost));
}

function addRevisions(posts: Command, action: Action): void {
  example(posts.command("revisions"), "promptreg post revisions pst_01jd…")
    .description("Lists the texts that a post had, the newest first.")
    .argument(...one)
    .option(...limit)
    .action(action(async () => (await import("./revisions.ts")).listRevisions));

  example(posts.command("restore"), "promptreg post restore pst_01jd… 3")
    .description("Goes on writing with an old text. What is published stays.")
    .argument(...one)
    .argument("<revision>", "its number or its id", revisionArgument)
    .action(action(async () => (await import("./revisions.ts")).restoreRevision));
}

const withAbout = (command: Command): Command =>
  command
    .option("--description <text>", "what it is about")
    .option("--slug <slug>", "its slug", slugArgument);

function addSeries(posts: Command, action: Action): void {
  const all = posts
    .command("series")
    .description("Puts posts of yours in an order.")
    // Nouns have one `help` for all, too.
    .helpCommand(false);
  example(all.command("list"), "promptreg post series list")
    .description("Lists your own series, the newest first.")
    .option(...limit)
    .action(
      action(
        listing("posts.series.list", (_: { limit: number }) => ({}), {
          columns: ["id", "title", "postCount", "updatedAt"],
          none: "You have no series.",
        }),
      ),
    );

  withAbout(example(all.command("create"), "promptreg post series create 'Prompts for beginners'"))
    .description("Creates a series. `promptreg post edit --series` puts posts into it.")
    .argument("<title>", "its title")
    .action(action(async () => (await import("./series.ts")).createSeries));

  example(all.command("view"), "promptreg post series view ser_01jd…")
    .description("Shows a series and its posts in their order.")
    .argument(...series)
    .action(action(async () => (await import("./series.ts")).viewSeries));

  withAbout(example(all.command("edit"), "promptreg post series edit ser_01jd… --title 'First prompts'"))
    .description("Changes what a series says about itself.")
    .argument(...series)
    .option("--title <text>", "the new title")
    .action(action(async () => (await import("./series.ts")).editSeries));

  example(all.command("delete"), "promptreg post series delete ser_01jd…")
    .description("Deletes a series, after asking. Its posts stay.")
    .argument(...series)
    .action(action(async () => (await import("./series.ts")).deleteSeries));

  example(all.command("order"), "promptreg post series order ser_01jd… pst_01jd… pst_01je…")
    .description("Puts posts of a series first, in this order. The others follow as they were.")
    .argument(...series)
    .argument("<posts...>", "their ids", postArguments)
    .action(action(async () => (await import("./series.ts")).orderSeries));
}
