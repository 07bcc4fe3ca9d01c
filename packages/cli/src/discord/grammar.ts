import type { Command } from "commander";
import { type Action, example } from "../grammar/grammar.ts";
import { calling } from "../grammar/operation.ts";

/** What is done with one's account at Discord. */
export function addDiscordCommands(program: Command, action: Action): void {
  const discord = program.command("discord").description("Links your account with the one at Discord.");

  example(discord.command("link"), "promptreg discord link 7KQ2MXRA")
    .description("Links your account by the code that the command /link in Discord showed you.")
    .argument("<code>", "eight letters and digits")
    .action(action(calling("discord.link.put", (code: string) => ({ body: { code } }))));

  example(discord.command("unlink"), "promptreg discord unlink")
    .description("Removes the link with Discord.")
    .action(
      action(
        calling(
          "discord.link.delete",
          () => ({}),
          () => "Your account is not linked with Discord.",
        ),
      ),
    );
}
