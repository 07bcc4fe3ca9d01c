import type { Io } from "./terminal/io.ts";
import { Command } from "commander";
import { isColored } from "./terminal/colored.ts";
import { nameFault, shortened } from "./errors.ts";
import { exitCodesText } from "./exit-codes.ts";
import { addAccountCommands } from "./account/grammar.ts";
import { addChangeRequestCommands } from "./changes/grammar.ts";
import { addCollectionCommands } from "./collections/grammar.ts";
import { addContestCommands } from "./contests/grammar.ts";
import { addMakeCommands } from "./makes/grammar.ts";
import { addMediaCommands } from "./media/grammar.ts";
import { addCommentCommands } from "./comments/grammar.ts";
import { addCompletionCommands } from "./completion/grammar.ts";
import { addDatasetCommands } from "./datasets/grammar.ts";
import { addDiscordCommands } from "./discord/grammar.ts";
import { addEvalCommands } from "./evals/grammar.ts";
import { addExampleCommands } from "./examples/grammar.ts";
import { addFolderCommands } from "./folders/grammar.ts";
import { addApiCommand } from "./api/grammar.ts";
import { addHabits } from "./grammar/habits.ts";
import { addHelpCommands } from "./grammar/help.ts";
import { type Action, heading, type Work } from "./grammar/grammar.ts";
import { addInstallCommands } from "./installs/grammar.ts";
import { addLabelCommands } from "./labels/grammar.ts";
import { addAnalyticsCommand } from "./analytics/grammar.ts";
import { addLeaderboardCommand } from "./leaderboards/grammar.ts";
import { addLockCommands } from "./locked/grammar.ts";
import { addOpenCommand } from "./open/grammar.ts";
import { addPostCommands } from "./posts/grammar.ts";
import { addPromptCommands } from "./prompts/grammar.ts";
import { addNotificationCommands } from "./notifications/grammar.ts";
import { addReportCommands } from "./reports/grammar.ts";
import { addSearchCommand } from "./search/grammar.ts";
import { addStarCommands } from "./stars/grammar.ts";
import { addWebhookCommands } from "./webhooks/grammar.ts";

const start = `${heading("For example:")}
  promptreg push prompts/support-reply --label staging
  promptreg help label move
  promptreg api GET /me`;

/**
 * Every command as people write it. Each noun has a folder: its `grammar.ts` says how its commands are written, and each
 * command is a file of its own that is loaded when it is called. `--help` loads none of them.
 */
export function createProgram(io: Io, setExitCode: (code: number) => void, isJson = false): Command {
  const program: Command = new Command("promptreg")
    .description("Pushes prompts to a registry, compares versions, moves labels and reports evals.")
    .option("--url <address>", "the server (default: $PROMPTREG_URL, else the server of the profile)")
    .option("--profile <name>", "the profile to use (default: $PROMPTREG_PROFILE, else the current profile)")
    .option("--json", "print the result as JSON")
    .option("-y, --yes", "answer yes to every question")
    .option("--debug", "show each request, and the stack of an error")
    .option("-v, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .addHelpText(
      "after",
      () => `\n${start}\n\nThe token comes from $PROMPTREG_TOKEN, else from the profile.\n\n${exitCodesText}`,
    )
    .configureHelp({
      showGlobalOptions: true,
      // Those of the program: `fork` has options that its verb does not take.
      visibleGlobalOptions: (command) =>
        command.parent ? program.options.filter(({ hidden }) => !hidden) : [],
      styleTitle: heading,
      subcommandTerm: termOf,
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // An error as JSON follows.
      writeErr: (text) => isJson || io.stderr.write(text),
      outputError: (text, write) => write(shortened(text)),
      getOutHelpWidth: () => (io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80),
      getErrHelpWidth: () => (io.stderr.isTTY ? (io.stderr.columns ?? 80) : 80),
      getOutHasColors: () => isColored(io.stdout, io.env),
      getErrHasColors: () => isColored(io.stderr, io.env),
    })
    .showHelpAfterError("(--help shows how to use it)")
    .exitOverride();
  addCommands(program, actionWith(io, setExitCode), io);
  // One `help` is enough.
  for (const noun of program.commands) noun.helpCommand(false);
  addHabits(program);
  return program;
}

/** Runs a command's work with its context; where there is no token, or it may not read what it needs, says so instead of "not found". */
const actionWith =
  (io: Io, setExitCode: (code: number) => void): Action =>
  <Given extends unknown[]>(load: () => Promise<Work<Given>>) =>
  async (...given) => {
    const command = given.pop() as Command;
    const [work, { createContext }] = await Promise.all([load(), import("./settings/context.ts")]);
    const context = createContext(io, command.optsWithGlobals());
    // What commander hands over is what the readers of the arguments made, and then the options.
    const exitCode = await work(context, ...(given as Given)).catch(async (cause: unknown) => {
      const error = nameFault(cause);
      const [{ explainUnseen }, { nameAddress }] = await Promise.all([
        import("./requests/unseen.ts"),
        import("./requests/name-address.ts"),
      ]);
      throw await explainUnseen(await nameAddress(error, given, context.destination), context);
    });
    if (exitCode !== undefined) setExitCode(exitCode);
  };

function addCommands(program: Command, action: Action, io: Io): void {
  program.commandsGroup("Prompts:");
  addFolderCommands(program, action);
  addPromptCommands(program, action);
  addSearchCommand(program, action);
  addOpenCommand(program, action);
  program.commandsGroup("Change requests:");
  addChangeRequestCommands(program, action);
  program.commandsGroup("Labels:");
  addLabelCommands(program, action);
  program.commandsGroup("Locked versions:");
  addLockCommands(program, action);
  program.commandsGroup("Installed prompts:");
  addInstallCommands(program, action);
  program.commandsGroup("Evals:");
  addEvalCommands(program, action);
  addDatasetCommands(program, action);
  program.commandsGroup("Examples:");
  addExampleCommands(program, action);
  program.commandsGroup("Collections:");
  addCollectionCommands(program, action);
  program.commandsGroup("Makes:");
  addMakeCommands(program, action);
  program.commandsGroup("Posts:");
  addPostCommands(program, action);
  program.commandsGroup("Contests:");
  addContestCommands(program, action);
  program.commandsGroup("Leaderboards:");
  addLeaderboardCommand(program, action);
  program.commandsGroup("Analytics:");
  addAnalyticsCommand(program, action);
  program.commandsGroup("Media:");
  addMediaCommands(program, action);
  program.commandsGroup("Comments:");
  addCommentCommands(program, action);
  addReportCommands(program, action);
  addNotificationCommands(program, action);
  program.commandsGroup("Stars:");
  addStarCommands(program, action);
  program.commandsGroup("Webhooks:");
  addWebhookCommands(program, action);
  program.commandsGroup("You and this machine:");
  addAccountCommands(program, action);
  addDiscordCommands(program, action);
  program.commandsGroup("Everything else:");
  addApiCommand(program, action);
  addHelpCommands(program, action);
  addCompletionCommands(program, io);
}

/** Verbs are shown with their arguments; the first list is one of names. */
const termOf = (command: Command): string =>
  command.parent?.parent
    ? `${command.name()} ${command.usage().replace(/^\[options\] ?/, "")}`
    : command.name();
