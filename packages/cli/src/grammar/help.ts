import type { Command } from "commander";
import { collect } from "./arguments.ts";
import { exitCodes, exitCodesText } from "../exit-codes.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { type Action, example } from "./grammar.ts";

/** What belongs to no noun. */
export function addGeneralCommands(program: Command, action: Action): void {
  program
    .command("help")
    .description("Shows how to use a command.")
    .argument("[command...]", "such as label move")
    .action((names: string[]) => helpOf(program, names));

  const api = program.command("api");
  example(
    api,
    [
      "promptreg api",
      "promptreg api prompts.labels.put --help",
      "promptreg api GET /prompts/ada/support-reply label=production",
      "promptreg api prompts.labels.put owner=ada slug=support-reply name=beta versionNumber:=4",
      "promptreg api webhooks.create --body hook.json",
      "promptreg api prompts.list owner=me --paginate | jq -r .ref",
    ].join("\n"),
  )
    .description("Calls any operation of the API; without one, lists them all.")
    .argument("[operation]", "its id, such as prompts.labels.put, or its method and path")
    .argument(
      "[name=value...]",
      "what belongs into its path, query or body; in a body name:=value is JSON, name=@file a file's content",
    )
    .option("--body <json>", "the body: JSON, a file's name, or - for standard input")
    .option("--form", "send the body as a form instead of JSON")
    .option("--header <name=value>", "a header, such as if-match; can be repeated", collect)
    .option("--paginate", "print every item of a list, a line of JSON each")
    .option("--include", "print the status and the headers too, on standard error")
    .helpOption(false)
    .option("-h, --help", "tell what the operation does and needs")
    .action(async (...given: unknown[]) => {
      const [operation, , { help }] = given as [string | undefined, string[], { help?: boolean }];
      if (help && operation === undefined) api.help();
      await callApi(...given);
    });
  const callApi = action(async () => (await import("../api/api.ts")).api);

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

function helpOf(program: Command, names: readonly string[]): void {
  let command = program;
  for (const name of names) command = command.commands.find((each) => each.name() === name) ?? refuse(name);
  command.outputHelp();

  function refuse(name: string): never {
    const known = command.createHelp().visibleCommands(command);
    const near = didYouMean(
      name,
      known.map((each) => each.name()),
    );
    program.error(`error: there is no command ${names.join(" ")}.${near}`);
  }
}
