import { type Command, Option } from "commander";
import { pinnedArgument, shareOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with evals. */
export function addEvalCommands(program: Command, action: Action): void {
  const evals = program.command("eval").description("Brings results of evals to the versions they judge.");
  example(
    evals.command("report"),
    "promptreg eval report results.json --prompt ada/support-reply@staging --threshold 0.9",
  )
    .description("Reports results and prints the verdict; exits with 8 when it is fail.")
    .argument("<file>", "results as JSON or JSON Lines; - reads standard input")
    .requiredOption("--prompt <prompt>", "owner/slug@3 or owner/slug@staging", pinnedArgument)
    .option("--model <name>", "the model that was asked; else from the file")
    .option(
      "--threshold <share>",
      "the share that must pass, 0 to 1; else from the file, else 1",
      shareOption,
    )
    .option("--external-id <id>", "your own name for the run: reporting it again adds to the same one")
    .addOption(
      new Option("--verdict <verdict>", "your own verdict instead of a computed one").choices([
        "pass",
        "fail",
      ]),
    )
    .action(action(async () => (await import("./report.ts")).reportEval));
}
