import type { Command } from "commander";
import { collect } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** Every operation of the API, by its id or its method and path. */
export function addApiCommand(program: Command, action: Action): void {
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
    .argument("[operation]", "its id (prompts.labels.put), or its method and path")
    .argument(
      "[name=value...]",
      "a field of the path, query or body; in a body name:=value is JSON, and name=@file the content of a file",
    )
    .option(
      "--body <json>",
      "the body: JSON, a file name, or - for standard input; a file as it is if --header says its content-type",
    )
    .option("--form", "send the body as a form instead of JSON")
    .option("--header <name=value>", "a header, such as if-match=*; can be repeated", collect)
    .option("--paginate", "print every item of a list as a line of JSON")
    .option("--include", "also print the status and headers, on standard error")
    .addHelpText("after", "\nOn a terminal a list is a table; --json shows all fields.")
    .helpOption(false)
    .option("-h, --help", "show what the operation does and needs")
    .action(async (...given: unknown[]) => {
      const [operation, , { help }] = given as [string | undefined, string[], { help?: boolean }];
      if (help && operation === undefined) api.help();
      await callApi(...given);
    });
  const callApi = action(async () => (await import("./api.ts")).api);
}
