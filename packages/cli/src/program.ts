import { readFileSync } from "node:fs";
import { Command } from "commander";
import { createContext } from "./context.ts";
import { exitCodesText } from "./exit-codes.ts";
import { addAccountCommands } from "./grammar/account.ts";
import { addEvalCommands } from "./grammar/evals.ts";
import { addFolderCommands } from "./grammar/folders.ts";
import { addGeneralCommands } from "./grammar/general.ts";
import type { Action, Work } from "./grammar/grammar.ts";
import { addLabelCommands } from "./grammar/labels.ts";
import { addLockCommands } from "./grammar/locked.ts";
import { addPromptCommands } from "./grammar/prompts.ts";
import { addWebhookCommands } from "./grammar/webhooks.ts";
import type { Io } from "./output.ts";

/**
 * Every command as people write it, noun by noun in `grammar/`. What a command does stands in a file of its own in
 * `commands/`, loaded when it is called: `--help` loads none of them.
 */
export function createProgram(io: Io, setExitCode: (code: number) => void): Command {
  const program = new Command("promptreg")
    .description(
      "Pushes prompts to a registry, compares their versions, moves their labels, reports their evals.",
    )
    .option("--url <address>", "the server (default: $PROMPTREG_URL, else that of the profile)")
    .option("--profile <name>", "the login to use (default: $PROMPTREG_PROFILE, else the current one)")
    .option("--json", "print the result as JSON")
    .option("-y, --yes", "answer yes to whatever would be asked")
    .option("--debug", "tell of each request, and where an error arose")
    .version(version(), "--version")
    .addHelpText("after", `\nThe token is that of the profile, or $PROMPTREG_TOKEN.\n\n${exitCodesText}`)
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
  addFolderCommands(program, action);
  addPromptCommands(program, action);
  addLabelCommands(program, action);
  addLockCommands(program, action);
  addEvalCommands(program, action);
  addWebhookCommands(program, action);
  addAccountCommands(program, action);
  addGeneralCommands(program, action);
  return program;
}

/** Read here rather than imported, for the package's own file lies outside its sources. */
function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version as string;
}
