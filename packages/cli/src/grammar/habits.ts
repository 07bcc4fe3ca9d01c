import { type Command, Option } from "commander";
import { didYouMean } from "../terminal/did-you-mean.ts";

/** Words that mean the same as a command's own, wherever a command has that name. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  list: ["ls"],
  show: ["view"],
  install: ["i"],
  move: ["set"],
};

const label = "`promptreg label move owner/slug production 4` points a label at a version.";
const pushes = "`promptreg push` sends what changed. Nothing has to be added or committed before.";
const prompts =
  "`promptreg list` lists prompts. What is done with one is a command of its own, such as `promptreg show owner/slug`.";
const writes = "`promptreg pull owner/slug` writes a prompt into a folder.";
const begins =
  "`promptreg init` makes a prompt folder. `promptreg import` copies prompts that you have elsewhere.";
const fills = "`promptreg render owner/slug --var name=value` fills in a prompt and shows it.";
const goesBack =
  "`promptreg label rollback owner/slug production` moves a label back. `promptreg restore owner/slug@2` makes an old version the newest.";

const forks = "`promptreg fork owner/slug` makes a prompt of your own from another.";
const settings = "`promptreg config` shows the server, the profile and the token in use.";
const tokens =
  "`promptreg login` stores a token, and `promptreg whoami` shows whose it is. `promptreg-server token create` makes one.";
const withdraws =
  "`promptreg yank owner/slug 2` withdraws a version. `promptreg edit owner/slug --visibility private` hides a prompt.";

const removes =
  "`promptreg uninstall owner/slug` removes a prompt from a project. `promptreg delete owner/slug` deletes it from the registry.";

/** What people type who know other tools, and which command here does it. */
export const words: Readonly<Record<string, string>> = {
  add: `${pushes} \`promptreg install owner/slug\` adds a prompt to a project.`,
  audit: "`promptreg ci` checks the locked versions. `promptreg outdated` lists what is behind.",
  auth: "`promptreg login` stores a token, `promptreg logout` removes it, and `promptreg whoami` shows whose it is.",
  blame:
    "`promptreg log owner/slug` shows who made each version. `promptreg label blame owner/slug production` shows who moved a label.",
  branch: forks,
  browse: "`promptreg show owner/slug` shows the address. `promptreg open owner/slug` opens it in a tool.",
  checkout: writes,
  clone: writes,
  commit: pushes,
  copy: forks,
  cp: forks,
  compile: fills,
  create: begins,
  deploy: label,
  deprecate: withdraws,
  "dist-tag": label,
  docs: "`promptreg show owner/slug` describes a prompt. `promptreg --help` lists the commands.",
  doctor: settings,
  duplicate: forks,
  env: settings,
  events: "`promptreg webhook events` lists all events. `promptreg webhook deliveries` lists what was sent.",
  export:
    "`promptreg download owner/slug --format langchain` writes the file of another tool, or an archive.",
  fetch: writes,
  fill: fills,
  get: "`promptreg cat owner/slug` prints a prompt, `promptreg show` describes it, and `promptreg pull` writes it into a folder.",
  history:
    "`promptreg log owner/slug` lists the versions of a prompt. `promptreg label history` lists the moves of a label.",
  listen: "`promptreg webhook listen --forward-to localhost:3000` forwards events to this machine.",
  logs: "`promptreg webhook deliveries` lists what was sent. `promptreg log owner/slug` lists versions.",
  me: "`promptreg whoami` shows the account.",
  merge:
    "`promptreg pull` merges the newest version into a folder. `promptreg change-request merge owner/slug 12` merges a proposal.",
  new: begins,
  pr: "`promptreg change-request`, for short `promptreg cr`, proposes changes and merges them.",
  promote: label,
  prompt: prompts,
  prompts,
  publish:
    "`promptreg push` sends prompts. `promptreg edit owner/slug --visibility public` lets everybody read one.",
  release: label,
  remove: removes,
  remote: "`promptreg config` shows the server in use. `promptreg profile list` lists all.",
  reset: goesBack,
  revert: goesBack,
  rm: removes,
  rollback: goesBack,
  run: `Promptreg runs no model. ${fills} \`promptreg open owner/slug\` opens it in a tool.`,
  settings,
  starred: "`promptreg star list` lists the prompts that you starred.",
  sync: "`promptreg status` compares folders with the registry, `promptreg pull` and `promptreg push` bring them together. `promptreg fork sync` merges what changed in the source of a fork.",
  tag: label,
  tags: "`promptreg label list owner/slug` lists where labels point.",
  test: "`promptreg check` checks prompt folders. `promptreg eval report` reports the results of a test.",
  token: tokens,
  tokens,
  trigger: "`promptreg webhook test` sends a ping.",
  undo: goesBack,
  unpublish: withdraws,
  upload: pushes,
  unstar: "`promptreg star remove owner/slug` removes a star.",
  versions: "`promptreg log owner/slug` lists the versions of a prompt.",
  version:
    "`promptreg --version` shows the version of this program. `promptreg log owner/slug` lists those of a prompt.",
};

/** Words for which each noun has its own. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  add: ["create", "move"],
  approve: ["review"],
  create: ["add", "move", "init"],
  delete: ["remove"],
  edit: ["update"],
  get: ["show", "view", "list"],
  info: ["show", "view"],
  logs: ["deliveries"],
  mv: ["rename", "move"],
  new: ["create", "add", "move", "init"],
  preview: ["view"],
  publish: ["submit"],
  reject: ["review"],
  remove: ["delete"],
  resend: ["redeliver"],
  rm: ["remove", "delete"],
  set: ["edit", "update", "use"],
  show: ["view"],
  switch: ["use"],
  trigger: ["test"],
  update: ["edit"],
  upgrade: ["update"],
};

const noToken =
  "Do not write a token on the command line: other users can read it, and the shell stores it. Run `promptreg login` and paste it, or set PROMPTREG_TOKEN.";

/** Options of other tools: the command, empty for all; the option; and what to write here. */
const options: readonly (readonly [command: string, flags: string, answer: string])[] = [
  ["", "--token <token>", noToken],
  ["push", "-a, --all", "`promptreg push .` sends all prompts in this folder."],
  ["push", "-f, --force", "`--onto latest` replaces the newest version, whatever the files came from."],
  ["delete", "-f, --force", "`--yes` answers the question."],
];

/** Lets people type what they know of other tools: it works, or is answered with what does it here. Help and completion have none of it. */
export function addHabits(program: Command): void {
  for (const command of program.commands) {
    addAliases(command);
    for (const verb of command.commands) addAliases(verb);
    if (command.commands.length > 0) answerUnknown(command);
  }
  answerUnknown(program);
  for (const [name, flags, answer] of options) {
    const command = name === "" ? program : commandOf(program, name);
    const option = new Option(flags).hideHelp();
    command?.addOption(option).on(`option:${option.name()}`, () => {
      command.error(`error: Unknown option ${option.long}. ${answer}`);
    });
  }
  program.on("option:version", () => {
    program.error(
      "error: Write --version alone. A version of a prompt is written owner/slug@3. `--debug` shows each request.",
    );
  });
}

function addAliases(command: Command): void {
  for (const alias of aliases[command.name()] ?? []) command.alias(alias);
}

function answerUnknown(command: Command): void {
  command.on("command:*", ([word = ""]: string[]) => {
    if (word === "help") command.help();
    command.error(`error: ${unknownCommand(command, word)}`);
  });
}

/** The command below another that a word calls. */
export const commandOf = (above: Command, word: string): Command | undefined =>
  above.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** Says what to write instead of a word that calls no command. */
export function unknownCommand(above: Command, word: string): string {
  const isNoun = above.parent !== null;
  const path = isNoun ? `${above.name()} ` : "";
  const names = above
    .createHelp()
    .visibleCommands(above)
    .map((each) => each.name());
  const verb = (Object.hasOwn(verbs, word) ? verbs[word] : undefined)?.find((each) => names.includes(each));
  const answer =
    !isNoun && Object.hasOwn(words, word)
      ? words[word]
      : verb
        ? `\`promptreg ${path}${verb}\` does that.`
        : word.includes("/") && isNoun
          ? `Say what to do with it: ${names.join(", ")}.`
          : didYouMean(word, names).trim();
  return [`Unknown command ${path}${word}.`, answer].filter(Boolean).join(" ");
}
