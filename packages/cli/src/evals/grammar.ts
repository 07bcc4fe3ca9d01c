import { type Command, Option } from "commander";
import { pinnedArgument, shareOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with evals. */
export function addEvalCommands(program: Command, action: Action): void {
  const evals = program.command("eval").description("Reports eval results for versions.");
  example(
    evals.command("report"),
    "promptreg eval report results.json --prompt ada/support-reply@staging --threshold 0.9",
  )
    .description("Reports results and prints the verdict. Exits with 8 when the verdict is fail.")
    .argument(
      "<files...>",
      "results, together one run, as promptfoo, JUnit, Vitest and others write them; - reads standard input",
    )
    .requiredOption("--prompt <prompt>", "owner/slug@3 or owner/slug@staging", pinnedArgument)
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
    .option("--external-id <id>", "your own id of the run: a report with the same id adds to it")
    .addOption(
      new Option("--verdict <verdict>", "set the verdict instead of computing it").choices(["pass", "fail"]),
    )
    .action(action(async () => (await import("./report.ts")).reportEval));
}
