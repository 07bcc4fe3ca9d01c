import type { Command } from "commander";
import { exitCodes, exitCodesText } from "../exit-codes.ts";
import { type Action, example } from "./grammar.ts";

/** What belongs to no noun. */
export function addGeneralCommands(program: Command, action: Action): void {
  example(
    program.command("api"),
    'promptreg api\npromptreg api prompts.get owner=ada slug=support-reply label=production\npromptreg api webhooks.create --body \'{"url": "https://example.com/hook"}\'',
  )
    .description("Calls any operation of the API; without one, lists them all.")
    .argument("[operation]", "its id, such as prompts.labels.put")
    .argument("[name=value...]", "what belongs into its path and query")
    .option("--body <json>", "the body: JSON, a file's name, or - for standard input")
    .action(action(async () => (await import("../commands/api.ts")).api));

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
