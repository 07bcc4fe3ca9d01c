import { type Command, Option } from "commander";
import { baselineOption, datasetOption, pinnedArgument, shareOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with evals. */
export function addEvalCommands(program: Command, action: Action): void {
  const evals = program.command("eval").description("Reports eval results for versions.");
  example(
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
    .option("--html <file>", "write the report as a page")
    .addOption(
      new Option("--verdict <verdict>", "set the verdict instead of computing it").choices(["pass", "fail"]),
    )
    .action(action(async () => (await import("./report.ts")).reportEval));
}
