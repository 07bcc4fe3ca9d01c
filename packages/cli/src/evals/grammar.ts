import { type Command, Option } from "commander";
import {
  bareArgument,
  baselineOption,
  countOption,
  datasetOption,
  pinnedArgument,
  runArgument,
  runNameArgument,
  shareOption,
  versionArgument,
} from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with evals. */
export function addEvalCommands(program: Command, action: Action): void {
  const evals = program.command("eval").description("Reports eval results for versions, and compares them.");
  addReport(evals, action);
  addReading(evals, action);
  addCompare(evals, action);
}

function addReport(evals: Command, action: Action): void {
  const report = example(
    evals.command("report"),
    "promptreg eval report results.json --prompt ada/support-reply@staging --threshold 0.9",
  )
    .description(
      "Reports results, prints the verdict, and compares with a baseline. Exits with 8 when the verdict is fail.",
    )
    .argument(
      "<files...>",
      "results, together one run, as promptfoo, JUnit, Vitest and others write them; - reads standard input",
    )
    .requiredOption("--prompt <prompt>", "owner/slug@3 or owner/slug@staging", pinnedArgument)
    .option(
      "--dataset <name>",
      "the dataset that was run, by its name or id; name@2: its revision 2",
      datasetOption,
    )
    .option("--model <name>", "the model (default: from the file)")
    .option(
      "--threshold <share>",
      "the share that must pass, from 0 to 1 (default: from the file, else 1)",
      shareOption,
    )
    .option("--provider <name>", "of a promptfoo file with several providers: the one to report")
    .option("--prompt-label <label>", "of a promptfoo file with several prompts: the one to report")
    .option(
      "--pass-score <score>",
      "where a tool gives only scores: the least with which a case passes, from 0 to 1",
      shareOption,
      0.5,
    )
    .option(
      "--external-id <id>",
      "your own id of the run: a report with the same id goes on where it stopped",
    )
    .option("--allow-secrets", "also send what looks like a secret, such as a private key or a token")
    .addOption(
      new Option("--verdict <verdict>", "set the verdict instead of computing it").choices(["pass", "fail"]),
    )
    .action(action(async () => (await import("./report.ts")).reportEval));
  addOutcome(report);
}

/** What is made of a report. */
const addOutcome = (report: Command): Command =>
  report
    .option(
      "--baseline <run>",
      "compare with the latest run of production (a label), version:3, or with run:<id>",
      baselineOption,
    )
    .option("--fail-on-regression", "exit with 10 for a regression, with 11 if nothing can be compared")
    .option(
      "--max-drop <share>",
      "allow the pass rate and the score to fall by so much, such as 0.05",
      shareOption,
    )
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--markdown <file>", "write the report for a comment")
    .option("--html <file>", "write the report as a page");

const filtered = (command: Command): Command =>
  command
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--on-version <version>", "only of this version", versionArgument)
    .option("--dataset <name>", "only on this dataset, by its name or id; none: without a dataset")
    .option("--model <name>", "only of this model")
    .option("-n, --limit <number>", "the most to show", countOption, 30);

function addReading(evals: Command, action: Action): void {
  filtered(example(evals.command("list"), "promptreg eval list ada/support-reply --verdict fail"))
    .description("Lists the runs of a prompt, newest first.")
    .addOption(
      new Option("--status <status>", "only with this status").choices(["running", "completed", "failed"]),
    )
    .addOption(new Option("--verdict <verdict>", "only with this verdict").choices(["pass", "fail"]))
    .action(action(async () => (await import("./list.ts")).listRuns));

  example(evals.command("show"), "promptreg eval show run_01jd8e6yk2v9s3m5n7p0q4r6t8")
    .description("Shows a run with the results that failed or errored.")
    .argument("<run>", "its id", runArgument)
    .option("--results", "all results")
    .option("-n, --limit <number>", "the most results to show", countOption, 30)
    .action(action(async () => (await import("./show.ts")).showRun));

  filtered(example(evals.command("scores"), "promptreg eval scores ada/support-reply --dataset regressions"))
    .description("Shows how versions did: the latest completed run of each model and dataset.")
    .action(action(async () => (await import("./scores.ts")).showScores));
}

function addCompare(evals: Command, action: Action): void {
  const only = ["broken", "errored", "onlyB", "sameFail", "fixed", "onlyA", "samePass"];
  example(
    evals.command("compare"),
    "promptreg eval compare ada/support-reply@production ada/support-reply@4 --dataset regressions\npromptreg eval compare ada/support-reply@3 ada/support-reply@4 --case refund",
  )
    .description("Compares two runs of a prompt case by case, the worst first.")
    .argument(
      "<before>",
      "a run's id, or owner/slug@3 or owner/slug@production: its latest run",
      runNameArgument,
    )
    .argument("<now>", "the run to judge, named likewise", runNameArgument)
    .option(
      "--dataset <name>",
      "of versions: their runs on this dataset, by its name or id; none: without one",
    )
    .option("--model <name>", "of versions: their runs of this model")
    .option("--all", "also the cases that did not change")
    .addOption(new Option("--only <change>", "only the cases that changed so").choices(only))
    .option("--case <key>", "one case with its outputs and their differences")
    .option("-n, --limit <number>", "the most cases to show", countOption, 20)
    .option("--max-drop <share>", "how much worse is no regression, such as 0.05", shareOption)
    .option("--fail-on-regression", "exit with 10 for a regression, with 11 if they cannot be compared")
    .option("--html <file>", "write the comparison as a page")
    .option("--markdown <file>", "write the comparison for a comment")
    .action(action(async () => (await import("./compare.ts")).compareEvals));
}
