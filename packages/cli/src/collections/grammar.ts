import type { ListCollections } from "@promptreg/core";
import { type Command, Option } from "commander";
import {
  type Collected,
  collectedArgument,
  collectedArguments,
  collectionArgument,
  countOption,
} from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { visibilities } from "../grammar/kinds.ts";
import { listing } from "../grammar/operation.ts";

const one = ["<collection>", "its id, such as col_01jd…", collectionArgument] as const;
const several = ["<what...>", "owner/slug, make:slug, or post:pst_…", collectedArguments] as const;

interface ListOptions extends Pick<ListCollections, "owner" | "sort"> {
  public?: boolean;
  query?: string;
  contains?: Collected;
}

/** What is done with collections. */
export function addCollectionCommands(program: Command, action: Action): void {
  const collections = program
    .command("collection")
    .description("Puts prompts, makes and posts together, in an order and with notes.");
  addReading(collections, action);
  addChanging(collections, action);
  addItems(collections, action);
}

function addReading(collections: Command, action: Action): void {
  example(
    collections.command("list"),
    "promptreg collection list\npromptreg collection list --public --query 'customer support' --sort size",
  )
    .description("Lists your own collections, or those of --owner or --public.")
    .option("--owner <handle>", "public collections of this account")
    .option("--public", "all public collections")
    .option("--query <words>", 'search words: "exact phrase", -not, or')
    .option(
      "--contains <what>",
      "only those that contain owner/slug, make:slug or post:pst_…",
      collectedArgument,
    )
    .addOption(new Option("--sort <order>", "the order").choices(["updated", "newest", "size"]))
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing(
          "collections.list",
          ({ owner, public: isPublic, query, contains, sort }: ListOptions) => ({
            query: {
              ...(owner === undefined && !isPublic && { mine: true }),
              owner,
              sort,
              q: query,
              contains: contains && `${contains.type}:${contains.id}`,
            },
          }),
          {
            columns: ["id", "title", "itemCount", "visibility", "owner", "updatedAt"],
            none: "There are no collections.",
          },
        ),
      ),
    );

  example(collections.command("show"), "promptreg collection show col_01jd…")
    .description("Shows a collection and what is in it, in its order.")
    .argument(...one)
    .option("-n, --limit <count>", "the most items to show", countOption, 100)
    .action(action(async () => (await import("./show.ts")).showCollection));
}

const withAbout = (command: Command): Command =>
  command
    .option("--description <text>", "what it is for")
    .addOption(new Option("--visibility <who>", "who can see it").choices(visibilities));

function addChanging(collections: Command, action: Action): void {
  withAbout(
    example(
      collections.command("create"),
      "promptreg collection create 'Customer support' --description 'What we answer with'",
    ),
  )
    .description("Creates a collection. It is public unless --visibility says otherwise.")
    .argument("<title>", "its title")
    .action(action(async () => (await import("./change.ts")).createCollection));

  withAbout(example(collections.command("edit"), "promptreg collection edit col_01jd… --visibility unlisted"))
    .description("Changes the title, the description, the visibility or the cover of a collection.")
    .argument(...one)
    .option("--title <text>", "the new title")
    .option("--no-description", "remove the description")
    .option("--cover <picture>", "a file to upload, or the id of media of yours")
    .option("--no-cover", "remove the cover")
    .action(action(async () => (await import("./change.ts")).editCollection));

  example(collections.command("delete"), "promptreg collection delete col_01jd…")
    .description("Deletes a collection, after asking. What is in it stays.")
    .argument(...one)
    .action(action(async () => (await import("./change.ts")).deleteCollection));
}

/** What is changed of its prompts. */
function addItems(collections: Command, action: Action): void {
  example(
    collections.command("add"),
    "promptreg collection add col_01jd… ada/support-reply bob/triage --note 'Begin here'",
  )
    .description(
      "Adds prompts, makes or posts to a collection, after the others. Those that are there already stay as they are.",
    )
    .argument(...one)
    .argument(...several)
    .option("--note <text>", "a note on each")
    .action(action(async () => (await import("./items.ts")).addToCollection));

  example(collections.command("remove"), "promptreg collection remove col_01jd… ada/support-reply")
    .description("Removes prompts, makes or posts from a collection, if they are there.")
    .argument(...one)
    .argument(...several)
    .action(action(async () => (await import("./items.ts")).removeFromCollection));

  example(
    collections.command("reorder"),
    "promptreg collection reorder col_01jd… bob/triage ada/support-reply",
  )
    .description("Puts items of a collection first, in this order. The others follow as they were.")
    .argument(...one)
    .argument(...several)
    .action(action(async () => (await import("./items.ts")).reorderCollection));
}
