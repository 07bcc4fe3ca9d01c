import type { Command } from "commander";
import { mediaArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling } from "../grammar/operation.ts";

const one = ["<media>", "its id, such as med_01jd…", mediaArgument] as const;

/** What is done with media. */
export function addMediaCommands(program: Command, action: Action): void {
  const media = program
    .command("media")
    .description("Uploads pictures, videos, sounds, models and files, to be shown with other things.");

  example(
    media.command("upload"),
    "promptreg media upload cat.png --alt 'A cat asleep'\npromptreg media upload parts.zip --as-file",
  )
    .description("Uploads files, and waits until they are ready.")
    .argument("<file...>", "what to upload")
    .option("--alt <text>", "what it shows, for those who cannot see it")
    .option("--as-file", "as downloads, of any type and left as they are")
    .option("--no-wait", "do not wait until they are ready")
    .action(action(async () => (await import("./upload.ts")).upload));

  example(media.command("show"), "promptreg media show med_01jd…")
    .description("Shows what media are, and where they are served.")
    .argument(...one)
    .action(action(calling("media.get", (id: string) => ({ id }))));

  example(media.command("delete"), "promptreg media delete med_01jd…")
    .description("Deletes media that nothing shows, after asking.")
    .argument(...one)
    .action(action(async () => (await import("./delete.ts")).deleteMedia));
}
