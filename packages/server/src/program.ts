import { Command } from "commander";
import type { DeleteOptions } from "./commands/delete-user/index.ts";
import type { CreateOptions } from "./commands/tokens.ts";
import { DatabaseSetupError } from "./database/connection.ts";
import { release } from "./release.ts";

const program = new Command("promptreg-server")
  .description("The Promptreg server and its administration.")
  .version(release)
  .showHelpAfterError("(add --help for usage)")
  .addHelpText(
    "after",
    `
Environment (each also as <name>_FILE, the path of a file that has the value):
  PORT, HOST                 where to listen (8787, 127.0.0.1)
  METRICS_PORT, METRICS_HOST where /metrics for Prometheus, /healthz and /readyz are to be had, also those of a worker (by
                             default nowhere; 127.0.0.1)
  PUBLIC_URL                 the origin that clients use to reach the server
  ACCESS                     public, or members: nothing is shown without a token (public)
  MEDIA_URL                  the origin that serves pictures and files, if it is another one
  MEDIA_STORE                where they are kept: s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1,
                             with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; by default in the data folder
  MEDIA_SCAN                 a clamd that looks for malware in uploads before anybody sees them: clamd://127.0.0.1:3310, or
                             clamd:///run/clamav/clamd.ctl (none)
  DATABASE_URL               your own PostgreSQL, 15 or newer; by default one runs in the data folder
  DATABASE_READ_URLS         standbys of that database, with commas between them: lists and searches without a token are read there
  DATABASE_POOL_URL          a pooler before that database, such as pgbouncer in transaction mode: requests connect to it
  DATABASE_WAIT_SECONDS      how long serve and worker wait for it if it is not up yet (30)
  DRAIN_SECONDS              how long a server that gets SIGTERM sends clients elsewhere before it stops (3)
  TRUSTED_PROXIES            proxies whose X-Forwarded-For is trusted: addresses and networks, comma-separated
  RATE_LIMITS                replaces built-in limits, such as read=6000/60,anon=120/60; off for none
  ACCOUNT_STORAGE_MB         how many megabytes the files of an account may take (10000)
  HELD_WORDS                 words and phrases, comma-separated: comments with one of them wait for a moderator
  SUGGESTIONS_URL            an API like that of OpenAI, whose model makes suggestions (none: the server's own rules); off for none
  SUGGESTIONS_MODEL          the name of that model
  SUGGESTIONS_KEY            the key of that API
  LOG_LEVEL                  fatal, error, warn, info, debug (each request), trace or silent (info)
  PROMPTREG_DATA_DIR         the data folder (.promptreg)
  PROMPTREG_SECRET           encrypts webhook secrets, 32 bytes or more; required with DATABASE_URL, otherwise kept in
                             the data folder
  PROMPTREG_SECOND_SECRET    another one, whose data is read as well, while secrets are rotated: see secret rotate --help
  SMTP_URL, MAIL_FROM        the mail server, smtps://user:password@host, and the sender; both need PUBLIC_URL; by
                             default no mail is sent
  DISCORD_APPLICATION_ID, DISCORD_PUBLIC_KEY
                             your application at Discord; its commands are then answered
  DISCORD_BOT_TOKEN          its token, for \`discord register\` alone
  DISCORD_API_URL            where that finds Discord (https://discord.com/api/v10)
  CDN_PURGE_URL              where a CDN before this server takes purges by surrogate key: it then keeps public versions and pictures for a year
  CDN_PURGE_TOKEN            the CDN's token for that
  WEBHOOK_ALLOW              addresses, networks and names inside that webhooks can reach too, by https: 10.0.0.0/8,*.corp.example
                             (NODE_EXTRA_CA_CERTS: the file with certificates of your own authority)
  WEBHOOK_PROXY              a proxy through which webhooks connect: http://user:password@proxy.example.com:3128
  PROMPTREG_UNSAFE_WEBHOOKS  1 lets webhooks and imports reach this machine and its network, and webhooks use plain http;
                             for development only`,
  );

program
  .command("serve")
  .description("serve the API and send deliveries")
  .option("--no-migrate", "refuse a database that needs migration instead of migrating it")
  .option("--no-worker", "leave deliveries and other jobs to `promptreg-server worker`")
  .action(async (options: { migrate: boolean; worker: boolean }) => {
    const { run } = await import("./commands/serve.ts");
    await run({ serves: true, works: options.worker, migrates: options.migrate });
  });

program
  .command("worker")
  .description("send deliveries and run background jobs, without serving the API")
  .action(async () => {
    const { run } = await import("./commands/serve.ts");
    await run({ serves: false, works: true, migrates: false });
  });

program
  .command("migrate")
  .description("migrate the database and exit")
  .action(async () => (await import("./commands/migrate.ts")).run());

const user = program.command("user").description("manage accounts");
user
  .command("add <handle>")
  .description("create an account")
  .option("--name <name>", "display name")
  .option("--email <address>", "e-mail address")
  .action(async (handle: string, options: { name?: string; email?: string }) =>
    (await import("./commands/users.ts")).add(handle, options),
  );
user
  .command("list")
  .description("list accounts")
  .option("--json", "as JSON")
  .action(async (options: { json?: boolean }) => (await import("./commands/users.ts")).list(options));
user
  .command("rename <handle> <new>")
  .description("change a handle; addresses with the old one keep working")
  .action(async (handle: string, to: string) => (await import("./commands/users.ts")).rename(handle, to));
user
  .command("show <handle>")
  .description("show an account, what it has, and when its tokens were used")
  .option("--json", "as JSON")
  .action(async (handle: string, options: { json?: boolean }) =>
    (await import("./commands/users.ts")).show(handle, options),
  );
user
  .command("email <handle> [address]")
  .description("set the address that mail of an account goes to; none without one")
  .action(async (handle: string, address?: string) =>
    (await import("./commands/users.ts")).setEmail(handle, address ?? null),
  );
user
  .command("storage <handle> <megabytes>")
  .description("set how much the files of an account may take; default: as ACCOUNT_STORAGE_MB says")
  .action(async (handle: string, megabytes: string) =>
    (await import("./commands/users.ts")).setStorage(handle, megabytes),
  );
user
  .command("import <file>")
  .description("create accounts from a CSV file, all or none, each with a token")
  .addHelpText(
    "after",
    `
The file has a header with handle, and name and email if you have them. Standard output gets CSV with handle and token: the
tokens are shown only once. Accounts that are there already are an error, and then nothing is created.`,
  )
  .option("--scopes <list>", "of the tokens: read, write, evals:write, comma-separated", "read,write")
  .option("--expires-in <days>", "days until the tokens expire")
  .action(async (file: string, options: { scopes: string; expiresIn?: string }) =>
    (await import("./commands/users.ts")).importFrom(file, options),
  );
user
  .command("suspend <handle>")
  .description("keep an account from changing anything, and disable its webhooks")
  .option("--undo", "lift the suspension")
  .action(async (handle: string, options: { undo?: boolean }) =>
    (await import("./commands/users.ts")).suspend(handle, options),
  );
user
  .command("delete <handle>")
  .description("delete an account and what only it could see; without --yes it says what would go")
  .requiredOption(
    "--works <what>",
    "keep: what others can see stays, under another handle; delete: it goes, too",
  )
  .option("--yes", "do it; it cannot be undone")
  .action(async (handle: string, options: DeleteOptions) =>
    (await import("./commands/delete-user/index.ts")).run(handle, options),
  );
user
  .command("role <handle> <role>")
  .description("set the role of an account: user, moderator or admin")
  .action(async (handle: string, role: string) =>
    (await import("./commands/users.ts")).setRole(handle, role),
  );
user
  .command("trust <handle>")
  .description("let an account publish posts without a review")
  .option("--undo", "let moderators review them again")
  .action(async (handle: string, options: { undo?: boolean }) =>
    (await import("./commands/users.ts")).trust(handle, options),
  );

const token = program.command("token").description("manage API tokens");
token
  .command("create")
  .description("create a token and print it to standard output; it is shown only once")
  .requiredOption("--user <handle>", "owner of the token")
  .option("--scopes <list>", "read, write, evals:write, comma-separated", "read,write")
  .option("--name <name>", "what the token is for", "token")
  .option("--role <role>", "moderator or admin, if the account has that role", "user")
  .option("--expires-in <days>", "days until it expires")
  .option(
    "--prompts <list>",
    "restrict it to these prompts, comma-separated, such as ada/reply,ada/support-*",
  )
  .option("--labels <list>", "restrict it to moving these labels, comma-separated")
  .option("--no-create", "let it add neither prompts nor versions")
  .addHelpText(
    "after",
    `
A restricted token reads and changes the prompts it is for, their labels and evals, and nothing else of the account. Anything
else that is public it reads as it would without a token. For a CI that may move staging and nothing else:
  promptreg-server token create --user ada --name ci --prompts 'ada/*' --labels staging --no-create`,
  )
  .action(async (options: CreateOptions) => (await import("./commands/tokens.ts")).create(options));
token
  .command("list")
  .description("list the tokens of an account, without the tokens themselves")
  .requiredOption("--user <handle>", "owner of the tokens")
  .option("--json", "as JSON")
  .action(async (options: { user: string; json?: boolean }) =>
    (await import("./commands/tokens.ts")).list(options),
  );
token
  .command("revoke [id]")
  .description("revoke a token at once, or with --user all of an account")
  .option("--user <handle>", "the account whose tokens are all revoked")
  .action(async (id: string | undefined, { user }: { user?: string }) => {
    const tokens = await import("./commands/tokens.ts");
    if ((id === undefined) === (user === undefined))
      throw new DatabaseSetupError("Name the token, or its account with --user.");
    await (id === undefined ? tokens.revokeAll(user ?? "") : tokens.revoke(id));
  });

const secret = program.command("secret").description("manage PROMPTREG_SECRET");
secret
  .command("rotate")
  .description(
    "encrypt webhook secrets anew with PROMPTREG_SECRET that PROMPTREG_SECOND_SECRET had encrypted",
  )
  .addHelpText(
    "after",
    `
1. Give every process the new secret as PROMPTREG_SECOND_SECRET, and restart them one after the other.
2. Swap the two: the new one is PROMPTREG_SECRET. Restart again.
3. Run this command. It can be run again, also beside servers.
4. Take PROMPTREG_SECOND_SECRET away after a year, when the links in mails that it signed have ended. After a leak, at once.`,
  )
  .action(async () => (await import("./commands/secret.ts")).rotate());
secret
  .command("forget")
  .description("go on with a new PROMPTREG_SECRET where the one until now is lost: webhooks need new secrets")
  .action(async () => (await import("./commands/secret.ts")).forget());

const contest = program.command("contest").description("manage contests");
contest
  .command("apply <file>")
  .description("make a contest what a JSON file says; what people have acted on already cannot change")
  .addHelpText(
    "after",
    `
A file, with all that it needs and some that has a default (accepts, kinds, votesPerUser, entriesPerUser,
judgeWeight: 0.7, and 0 without judges):
  {
    "slug": "best-reviewer", "title": "The best reviewer", "description": "…", "rules": "…", "prizes": "…",
    "opensAt": "2026-12-01T00:00:00Z", "entriesCloseAt": "2026-12-15T00:00:00Z",
    "votingClosesAt": "2026-12-22T00:00:00Z", "judgingClosesAt": "2026-12-24T00:00:00Z",
    "judges": ["ada"], "criteria": [{ "key": "use", "label": "Is it of use?", "weight": 2 }],
    "votesPerUser": 3, "judgeWeight": 0.7
  }`,
  )
  .action(async (file: string) => (await import("./commands/contests.ts")).apply(file));
contest
  .command("list")
  .description("list contests")
  .option("--json", "as JSON")
  .action(async (options: { json?: boolean }) => (await import("./commands/contests.ts")).list(options));
contest
  .command("show <slug>")
  .description("list the entries of a contest, with votes that nobody else is shown yet, and its results")
  .option("--json", "as JSON")
  .action(async (slug: string, options: { json?: boolean }) =>
    (await import("./commands/contests.ts")).show(slug, options),
  );
contest
  .command("audit <slug> <entry>")
  .description("list who voted for an entry, by the age of the account, with equal addresses")
  .option("--json", "as JSON")
  .action(async (slug: string, entry: string, options: { json?: boolean }) =>
    (await import("./commands/contests.ts")).audit(slug, entry, options),
  );
contest
  .command("disqualify <slug> <entry>")
  .description("take an entry out; after the end, another result is stored that says why")
  .requiredOption("--reason <text>", "why; after the end, its entrant reads it")
  .action(async (slug: string, entry: string, options: { reason: string }) =>
    (await import("./commands/contests.ts")).disqualify(slug, entry, options),
  );

const audit = program
  .command("audit")
  .description("read who changed what: accounts, tokens, secrets, labels, moderation");
const filtered = (command: Command) =>
  command
    .option("--account <handle>", "of this account alone")
    .option("--action <action>", "such as token.create or label.move");
filtered(audit.command("list"))
  .description("list the last entries")
  .option("--limit <count>", "how many", "50")
  .option("--json", "as JSON")
  .action(async (options: { account?: string; action?: string; limit: string; json?: boolean }) =>
    (await import("./commands/audit.ts")).list(options),
  );
filtered(audit.command("export"))
  .description("write all entries as JSON lines, the oldest first, until two minutes ago")
  .option("--after <id>", "begin after this entry, the last of an earlier export")
  .action(async (options: { account?: string; action?: string; after?: string }) =>
    (await import("./commands/audit.ts")).exportAll(options),
  );
filtered(audit.command("follow"))
  .description("write entries as JSON lines as they come")
  .option("--after <id>", "begin after this entry instead of now")
  .action(async (options: { account?: string; action?: string; after?: string }) =>
    (await import("./commands/audit.ts")).follow(options),
  );

const discord = program.command("discord").description("manage the application at Discord");
discord
  .command("register")
  .description("tell Discord which commands there are; once, and again when a release brings others")
  .action(async () => (await import("./commands/discord.ts")).register());

program
  .command("export <folder>")
  .description("export all data to a new folder, for import into another server")
  .action(async (folder: string) => (await import("./commands/export.ts")).run(folder));
program
  .command("import <folder>")
  .description("import an export into an empty database")
  .action(async (folder: string) => (await import("./commands/import.ts")).run(folder));

/** Runs a command line, without the program's name, and gives the exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (logs(args)) {
      const { openLog } = await import("./kernel/failures/log.ts");
      const isFixable = error instanceof DatabaseSetupError;
      openLog(process.stderr, "fatal").fatal(
        isFixable ? {} : { err: error },
        isFixable ? error.message : "failed",
      );
    } else process.stderr.write(`${sentenceOf(error)}\n`);
    return 1;
  }
}

/** Whether standard error is a log. A person at a terminal reads sentences. */
const logs = ([command = ""]: string[]): boolean =>
  ["serve", "worker"].includes(command) && !process.stderr.isTTY;

/** An error that the operator can fix is one sentence. Anything else is a bug, and shows its stack. */
const sentenceOf = (error: unknown): string =>
  error instanceof DatabaseSetupError
    ? `promptreg-server: ${error.message}`
    : ((error as Error).stack ?? String(error));
