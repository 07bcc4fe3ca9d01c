import type { Board, BoardWindow } from "@promptreg/core";
import { Argument, type Command, Option } from "commander";
import { countOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { kinds } from "../grammar/kinds.ts";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.
const boards: Record<Board, true> = { prompts: true, makes: true, creators: true, evals: true };
const windows: Record<BoardWindow, true> = { "24h": true, "7d": true, "30d": true, all: true };

/** What is ranked. */
export function addLeaderboardCommand(program: Command, action: Action): void {
  example(program.command("leaderboard"), "promptreg leaderboard\npromptreg leaderboard makes --window 30d")
    .description("Shows the best public prompts, makes, creators or eval results.")
    .addArgument(new Argument("[board]", "what is ranked").choices(Object.keys(boards)).default("prompts"))
    .addOption(new Option("--window <time>", "what counts (default: 7d)").choices(Object.keys(windows)))
    .addOption(new Option("--kind <kind>", "only prompts of this kind").choices(kinds))
    .option("--tag <tag>", "only what has this tag")
    .option("-n, --limit <count>", "the most to show", countOption, 20)
    .action(action(async () => (await import("./show.ts")).showLeaderboard));
}
