import type { Dataset } from "@promptreg/core";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, Option } from "commander";
import { bareArgument, countOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { listing } from "../grammar/operation.ts";

const visibilities: Dataset["visibility"][] = ["private", "public"];
const withVisibility = (command: Command): Command =>
  command.addOption(
    new Option("--visibility <who>", "public: whoever sees the prompt sees it; asks first").choices(
      visibilities,
    ),
  );

/** A command about one dataset. */
const about = (datasets: Command, name: string, lines: string): Command =>
  example(datasets.command(name), lines)
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<dataset>", "its name");

/** What is done with datasets and their cases. */
export function addDatasetCommands(program: Command, action: Action): void {
  const datasets = program
    .command("dataset")
    .description("Keeps the cases that versions of a prompt are tried on.");
  addReading(datasets, action);
  addFiles(datasets, action);
  addChanging(datasets, action);
}

function addReading(datasets: Command, action: Action): void {
  example(datasets.command("list"), "promptreg dataset list ada/support-reply")
    .description("Lists the datasets of a prompt.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(
      action(
        listing(
          "evals.datasets.list",
          ({ owner, slug }: PromptAddress) => ({ query: { prompt: `${owner}/${slug}` } }),
          {
            columns: ["name", "caseCount", "revision", "visibility", "updatedAt", "description"],
            none: "There are no datasets.",
          },
        ),
      ),
    );

  about(datasets, "show", "promptreg dataset show ada/support-reply refunds --tag late")
    .description("Shows a dataset and its first cases.")
    .option("--tag <tag>", "only cases with this tag")
    .option("-n, --limit <count>", "the most cases to show", countOption, 20)
    .action(action(async () => (await import("./show.ts")).showDataset));
}

function addFiles(datasets: Command, action: Action): void {
  about(
    datasets,
    "import",
    [
      "promptreg dataset import ada/support-reply refunds cases.csv --create",
      "promptreg dataset import ada/support-reply refunds cases.jsonl --replace --dry-run",
      "promptreg dataset import ada/support-reply refunds promptfooconfig.yaml --create",
    ].join("\n"),
  )
    .description(
      "Imports cases from CSV, JSONL or the tests of promptfoo: all of them, or none if one is wrong.",
    )
    .argument("<file>", "the file; - reads standard input")
    .addOption(
      new Option("--format <format>", "how to read it (default: by its name, else by how it begins)").choices(
        ["csv", "jsonl", "promptfoo"],
      ),
    )
    .option("--replace", "make the file the whole content, after showing what is lost and asking")
    .option("-n, --dry-run", "import nothing, and say what would happen")
    .option("--create", "create the dataset if it does not exist, as a private one")
    .option("--allow-secrets", "also send what looks like a secret, such as a private key or a token")
    .addHelpText("after", () => `\n${columns}`)
    .action(action(async () => (await import("./import.ts")).importCases));

  about(datasets, "export", "promptreg dataset export ada/support-reply refunds -o cases.csv")
    .description("Writes the cases as JSONL, which keeps everything, or as CSV, which keeps text.")
    .option("-o, --out <file>", "the file to write, or - for standard output", "-")
    .addOption(
      new Option("--format <format>", "csv or jsonl (default: by the name of the file, else jsonl)").choices([
        "csv",
        "jsonl",
      ]),
    )
    .addHelpText("after", () => `\n${formulas}`)
    .action(action(async () => (await import("./export.ts")).exportCases));
}

const columns = `CSV has a header, and commas between cells. Its columns are key, expected (or
__expected), tags, weight and assert.<type>, such as assert.contains. Every
other column is a variable. JSONL has a case on each line. A case that is there
already with the same content is skipped. A case without a key is always new.`;

const formulas = `Cells are written as they are. Some programs run a cell that begins with = as a
formula: open files of others with care.`;

function addChanging(datasets: Command, action: Action): void {
  withVisibility(
    about(
      datasets,
      "create",
      "promptreg dataset create ada/support-reply refunds --description 'Late refunds'",
    ),
  )
    .description("Creates a dataset of your prompt. It is private unless --visibility says otherwise.")
    .option("--description <text>", "what it is for")
    .action(action(async () => (await import("./create.ts")).createDataset));

  withVisibility(about(datasets, "edit", "promptreg dataset edit ada/support-reply refunds --name returns"))
    .description("Changes the name, the description or the visibility. Import a file to change the cases.")
    .option("--name <name>", "the new name")
    .option("--description <text>", "what it is for")
    .option("--no-description", "remove the description")
    .action(action(async () => (await import("./edit.ts")).editDataset));

  about(datasets, "delete", "promptreg dataset delete ada/support-reply refunds")
    .description("Deletes a dataset with its cases, after asking. Its runs stay.")
    .action(action(async () => (await import("./edit.ts")).deleteDataset));
}
