import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import {
  bareArgument,
  collect,
  expectOption,
  pinnedArgument,
  promptArgument,
  rangeArgument,
  shareOption,
  versionArgument,
} from "./arguments.ts";
import { type Context, createContext } from "./context.ts";
import { exitCodes, exitCodesText } from "./exit-codes.ts";
import type { Io } from "./output.ts";

/** What a command does; a number it gives is the exit code. */
type Work<Given extends unknown[]> = (context: Context, ...given: Given) => Promise<number | void>;

/** Makes what runs when a command is called; the work itself is loaded only then. */
type Action = <Given extends unknown[]>(
  load: () => Promise<Work<Given>>,
) => (...given: unknown[]) => Promise<void>;

/**
 * Every command as people write it. What a command does stands in a file of its own, loaded when it is
 * called: `--help` loads none of them.
 */
export function createProgram(io: Io, setExitCode: (code: number) => void): Command {
  const program = new Command("promptreg")
    .description(
      "Pushes prompts to a registry, compares their versions, moves their labels, reports their evals.",
    )
    .option("--url <address>", "the server (default: $PROMPTREG_URL, else http://127.0.0.1:8787)")
    .option("--json", "print the result as JSON")
    .option("--debug", "tell of each request, and where an error arose")
    .version(version(), "--version")
    .addHelpText("after", `\nThe token is read from $PROMPTREG_TOKEN.\n\n${exitCodesText}`)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError("(--help shows how to use it)")
    .exitOverride();
  const action: Action =
    <Given extends unknown[]>(load: () => Promise<Work<Given>>) =>
    async (...given) => {
      const command = given.pop() as Command;
      const work = await load();
      // What commander hands over is what the readers of the arguments made, and then the options.
      const exitCode = await work(createContext(io, command.optsWithGlobals()), ...(given as Given));
      if (exitCode !== undefined) setExitCode(exitCode);
    };
  addPromptCommands(program, action);
  addLabelCommands(program, action);
  addEvalCommands(program, action);
  addGeneralCommands(program, action);
  return program;
}

function addPromptCommands(program: Command, action: Action): void {
  example(
    program.command("push"),
    "promptreg push prompts/support-reply --message 'Warmer opening' --label staging",
  )
    .description("Sends prompt folders: creates each prompt, or commits what changed as its next version.")
    .argument("<folder...>", "folders with an entry file and a promptreg.json")
    .option("--message <text>", "what changed, and why")
    .option("--label <name>", "move this label to the version; can be repeated", collect)
    .option("--dry-run", "check everything and say what would happen")
    .action(action(async () => (await import("./commands/push.ts")).push));

  example(program.command("get"), "promptreg get ada/support-reply@production > PROMPT.md")
    .description("Prints the entry file of a prompt.")
    .argument("<prompt>", "owner/slug, owner/slug@3 or owner/slug@production", promptArgument)
    .option("--path <file>", "another file of the prompt")
    .action(action(async () => (await import("./commands/get.ts")).get));

  example(program.command("diff"), "promptreg diff ada/support-reply production..latest")
    .description("Shows what changed between two versions, and whether it breaks those who fill them in.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<range>", "two versions or labels, such as 1..2", rangeArgument)
    .action(action(async () => (await import("./commands/diff.ts")).diff));
}

function addLabelCommands(program: Command, action: Action): void {
  const label = program.command("label").description("Points names, such as production, at versions.");
  example(label.command("move"), "promptreg label move ada/support-reply production 4 --expect 3")
    .description("Moves a label to a version, or creates it there.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<label>", "its name")
    .argument("<version>", "the number of the version", versionArgument)
    .option("--reason <text>", "shown in the label's history and to webhooks")
    .option(
      "--expect <version>",
      "refuse unless the label is there now; none: unless it is new",
      expectOption,
    )
    .action(action(async () => (await import("./commands/label-move.ts")).moveLabel));
}

function addEvalCommands(program: Command, action: Action): void {
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
    .action(action(async () => (await import("./commands/eval-report.ts")).reportEval));
}

function addGeneralCommands(program: Command, action: Action): void {
  example(program.command("whoami"), "promptreg whoami --json")
    .description("Shows the account behind the token, and what the token may do.")
    .action(action(async () => (await import("./commands/whoami.ts")).whoami));

  example(
    program.command("api"),
    'promptreg api\npromptreg api prompts.get owner=ada slug=support-reply label=production\npromptreg api webhooks.create --body \'{"url": "https://example.com/hook"}\'',
  )
    .description("Calls any operation of the API; without one, lists them all.")
    .argument("[operation]", "its id, such as prompts.labels.put")
    .argument("[name=value...]", "what belongs into its path and query")
    .option("--body <json>", "the body: JSON, a file's name, or - for standard input")
    .action(action(async () => (await import("./commands/api.ts")).api));

  // `promptreg help exit-codes` shows the list too.
  const list = program.command("exit-codes").description("Lists the exit codes.");
  list.helpInformation = () => `${exitCodesText}\n`;
  list.action(
    action(
      async () =>
        async ({ output }) =>
          output.result(exitCodes, () => exitCodesText),
    ),
  );
}

const example = (command: Command, lines: string): Command =>
  command.addHelpText("after", `\nFor example:\n${lines.replace(/^/gm, "  ")}`);

/** Read here rather than imported, for the package's own file lies outside its sources. */
function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version as string;
}
