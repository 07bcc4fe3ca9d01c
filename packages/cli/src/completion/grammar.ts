import type { Io } from "../terminal/io.ts";
import { Argument, type Command } from "commander";
import { example } from "../grammar/grammar.ts";

/** How shells learn of commands, prompts, labels and versions. */
export function addCompletionCommands(program: Command, io: Io): void {
  example(
    program.command("completion"),
    'eval "$(promptreg completion bash)"      # in ~/.bashrc\nsource <(promptreg completion zsh)       # in ~/.zshrc, after compinit\npromptreg completion fish | source       # in ~/.config/fish/config.fish',
  )
    .description("Prints the script with which a shell completes commands, prompts, labels and versions.")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      io.stdout.write((await import("./scripts.ts")).scripts[shell]);
    });

  // Asked at each press of the key: it loads no more than it must.
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => (await import("./complete.ts")).complete(program, words, io));
}
