import type { ListMakes, MakeVisibility } from "@promptreg/core";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { bareArgument, collect, countOption, promptArgument, slugArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling, listing } from "../grammar/operation.ts";

const one = ["<make>", "its slug, such as review-bot", slugArgument] as const;
const visibilities: MakeVisibility[] = ["public", "unlisted"];

/** What is done with makes. */
export function addMakeCommands(program: Command, action: Action): void {
  const makes = program
    .command("make")
    .description("Shows what people made with prompts, and publishes your own.");
  addReading(makes, action);
  addWriting(makes, action);
  addParts(makes, action);
  addStars(makes, action);
  addInbox(program, action);
}

interface ListOptions extends Pick<ListMakes, "maker" | "sort" | "tag" | "status"> {
  public?: boolean;
  query?: string;
  prompt?: PromptAddress;
  remixOf?: string;
}

function addReading(makes: Command, action: Action): void {
  example(
    makes.command("list"),
    "promptreg make list\npromptreg make list --prompt ada/support-reply --sort stars",
  )
    .description("Lists your own makes, or public ones by --public, --maker, --prompt, --tag or --remix-of.")
    .option("--public", "all public makes")
    .option("--maker <handle>", "public makes of this account")
    .option("--prompt <prompt>", "those with an approved link to owner/slug", bareArgument)
    .option("--tag <tag>", "only with this tag; can be repeated", collect)
    .option("--remix-of <make>", "remixes of this make", slugArgument)
    .option("--query <words>", 'search words: "exact phrase", -not, or')
    .addOption(new Option("--status <status>", "only these of your own").choices(["draft", "published"]))
    .addOption(new Option("--sort <order>", "the order").choices(["newest", "trending", "stars"]))
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing(
          "makes.list",
          ({ public: isPublic, maker, prompt, tag, remixOf, query, status, sort }: ListOptions) => ({
            query: {
              ...(!isPublic &&
                [maker, prompt, tag, remixOf].every((of) => of === undefined) && { mine: true }),
              maker,
              prompt: prompt && `${prompt.owner}/${prompt.slug}`,
              tag,
              remixOf,
              q: query,
              status,
              sort,
            },
          }),
          { columns: ["slug", "title", "maker", "status", "updatedAt"], none: "There are no makes." },
        ),
      ),
    );

  example(makes.command("view"), "promptreg make view review-bot")
    .description("Shows a make, with its gallery, files, parts and links.")
    .argument(...one)
    .action(action(async () => (await import("./view.ts")).viewMake));

  example(makes.command("tree"), "promptreg make tree ada/support-reply --depth 5")
    .description(
      "Draws what a prompt was forked from, its forks, the makes that link to them, and their remixes.",
    )
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--depth <steps>", "how many steps to go, 1 to 5", countOption, 3)
    .action(action(async () => (await import("./tree.ts")).drawTree));

  example(makes.command("download"), "promptreg make download review-bot bot.py -o bot.py")
    .description("Downloads a file of a make, and checks its digest.")
    .argument(...one)
    .argument("<file>", "its name, its label or its id")
    .option("-o, --out <file>", "where to write it; - writes to standard output")
    .action(action(async () => (await import("./download.ts")).downloadFile));
}

const withAbout = (command: Command): Command =>
  command
    .option("--summary <text>", "one line about it")
    .option("--body <file>", "a file of Markdown; - reads standard input")
    .option("--tag <tag>", "a tag; can be repeated", collect)
    .option("--license <expression>", "an SPDX expression, such as MIT")
    .addOption(new Option("--visibility <who>", "who finds it").choices(visibilities));

function addWriting(makes: Command, action: Action): void {
  withAbout(
    example(
      makes.command("new"),
      "promptreg make new 'A bot that reviews' --body README.md --prompt ada/support-reply@3 --publish",
    ),
  )
    .description("Creates a make. It is a draft without --publish.")
    .argument("<title>", "its title")
    .option("--slug <slug>", "its address (default: made of the title)", slugArgument)
    .option("--prompt <prompt>", "a prompt that it was made with; can be repeated", promptsOption)
    .option("--publish", "publish it at once")
    .action(action(async () => (await import("./change.ts")).createMake));

  withAbout(example(makes.command("edit"), "promptreg make edit review-bot --body README.md --tag bot"))
    .description("Changes what a make says about itself.")
    .argument(...one)
    .option("--title <text>", "the new title")
    .option("--slug <slug>", "the new address; the old one leads there", slugArgument)
    .action(action(async () => (await import("./change.ts")).editMake));

  example(makes.command("push"), "promptreg make push bot/ --publish")
    .description(
      "Makes a make what a folder with a make.json says. Only what changed is sent; start it again after an interruption.",
    )
    .argument("[folder]", "the folder (default: this one)")
    .option("--publish", "publish it at the end")
    .action(action(async () => (await import("./push.ts")).pushMake));

  example(makes.command("publish"), "promptreg make publish review-bot")
    .description("Publishes a make, after asking. The owners of its prompts hear of it.")
    .argument(...one)
    .action(action(async () => (await import("./change.ts")).publishMake));

  example(makes.command("unpublish"), "promptreg make unpublish review-bot")
    .description("Makes a draft of a make again. It leaves lists and galleries.")
    .argument(...one)
    .action(
      action(
        calling(
          "makes.update",
          (slug: string) => ({ slug, body: { status: "draft" as const } }),
          ({ colors }, slug) => `${colors.bold(slug)} is a draft`,
        ),
      ),
    );

  example(makes.command("delete"), "promptreg make delete review-bot")
    .description("Deletes a make, after asking. Nobody can have its slug again.")
    .argument(...one)
    .action(action(async () => (await import("./change.ts")).deleteMake));

  example(makes.command("remix"), "promptreg make remix review-bot --title 'My review bot'")
    .description("Copies the texts, parts and links of a make into a new draft of yours.")
    .argument(...one)
    .option("--title <text>", "its title (default: that of the make)")
    .option("--slug <slug>", "its address", slugArgument)
    .action(action(async () => (await import("./change.ts")).remixMake));
}

/** Gathers prompts, each with a version or without. */
const promptsOption = (text: string, earlier: PromptAddress[] = []): PromptAddress[] => [
  ...earlier,
  versionedArgument(text),
];

/** `owner/slug`, or with the number of a version. */
function versionedArgument(text: string): PromptAddress {
  const address = promptArgument(text);
  if (address.label === undefined) return address;
  throw new InvalidArgumentError(
    "Write owner/slug or owner/slug@3: a make links to a version, not to a label.",
  );
}

/** What a make has. */
function addParts(makes: Command, action: Action): void {
  example(makes.command("link"), "promptreg make link review-bot ada/support-reply@3 --note 'For the tone'")
    .description("Says that a make was made with a prompt. The owner of the prompt approves it.")
    .argument(...one)
    .argument("<prompt>", "owner/slug, or owner/slug@3", versionedArgument)
    .option("--note <text>", "a note on it")
    .action(action(async () => (await import("./links.ts")).linkPrompt));

  example(makes.command("unlink"), "promptreg make unlink review-bot ada/support-reply")
    .description("Removes the link to a prompt: from your make, or to your prompt.")
    .argument(...one)
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(action(async () => (await import("./links.ts")).unlinkPrompt));

  example(makes.command("files"), "promptreg make files review-bot --add bot.py --label 'The bot'")
    .description("Lists the files of a make, and adds or removes some.")
    .argument(...one)
    .option("--add <file>", "a file to attach; can be repeated", collect)
    .option("--label <text>", "the label of what is added")
    .option("--remove <id>", "a file to remove; can be repeated", collect)
    .action(action(async () => (await import("./things.ts")).changeFiles));

  example(
    makes.command("gallery"),
    "promptreg make gallery review-bot --add photo.jpg --alt 'The bot at work'\npromptreg make gallery review-bot --add https://youtu.be/…",
  )
    .description(
      "Lists the gallery of a make, and adds or removes some. The first item is the cover until --cover.",
    )
    .argument(...one)
    .option("--add <what>", "a picture, a video, a model, or an address to embed; can be repeated", collect)
    .option("--caption <text>", "the caption of what is added")
    .option("--alt <text>", "what it shows, for those who cannot see it")
    .option("--cover <id>", "the item that stands for the make")
    .option("--remove <id>", "an item to remove; can be repeated", collect)
    .action(action(async () => (await import("./things.ts")).changeGallery));

  example(
    makes.command("parts"),
    "promptreg make parts review-bot --add Wheel --quantity 4 --price '6.00 EUR'",
  )
    .description("Lists the parts of a make, and adds or removes some.")
    .argument(...one)
    .option("--add <name>", "a part to add")
    .option("--quantity <number>", "how much of it (default: 1)")
    .option("--unit <unit>", "such as m or pieces")
    .option("--price <amount>", "of all of it, such as '6.00 EUR'")
    .option("--from <url>", "where it can be had")
    .option("--note <text>", "a note on it")
    .option("--optional", "it works without it")
    .option("--remove <id>", "a part to remove; can be repeated", collect)
    .action(action(async () => (await import("./things.ts")).changeParts));
}

function addStars(makes: Command, action: Action): void {
  example(makes.command("star"), "promptreg make star review-bot")
    .description("Stars a make.")
    .argument(...one)
    .action(
      action(
        calling(
          "stars.makes.add",
          (slug: string) => ({ slug }),
          ({ colors }, slug) => `${colors.bold(slug)} is starred`,
        ),
      ),
    );

  example(makes.command("unstar"), "promptreg make unstar review-bot")
    .description("Removes your star from a make.")
    .argument(...one)
    .action(
      action(
        calling(
          "stars.makes.remove",
          (slug: string) => ({ slug }),
          ({ colors }, slug) => `${colors.bold(slug)} is not starred`,
        ),
      ),
    );
}

/** What waits for the owner of a prompt. */
function addInbox(program: Command, action: Action): void {
  const inbox = program
    .command("inbox")
    .description("Decides which makes the galleries of your prompts show.");

  example(inbox.command("list"), "promptreg inbox list --prompt ada/support-reply")
    .description("Lists the makes that wait for your decision, the newest first.")
    .option("--prompt <prompt>", "only those that link to owner/slug", bareArgument)
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./links.ts")).listInbox));

  example(inbox.command("gallery"), "promptreg inbox gallery ada/support-reply")
    .description("Lists the approved makes of a prompt, pinned ones first.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--version <number>", "only those made with this version", countOption)
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./links.ts")).listGallery));

  const prompt = ["[prompt]", "the prompt, if the make links to several of yours", bareArgument] as const;
  for (const [verb, does] of [
    ["approve", "Approves a make for the gallery of your prompt."],
    ["reject", "Rejects a make, also after its approval."],
    ["pin", "Shows an approved make first in the gallery of your prompt."],
    ["unpin", "Lets a make stand where the others do."],
  ] as const) {
    const command = example(inbox.command(verb), `promptreg inbox ${verb} review-bot ada/support-reply`)
      .description(does)
      .argument(...one)
      .argument(...prompt);
    if (verb === "reject") command.option("--reason <text>", "the reason, for its maker");
    command.action(
      action(async () => {
        const { decide } = await import("./links.ts");
        return (context, slug: string, of: PromptAddress | undefined, { reason }: { reason?: string }) =>
          decide(context, { slug, prompt: of, verb, reason });
      }),
    );
  }
}
