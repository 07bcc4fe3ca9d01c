import { Command } from "commander";
import { DatabaseSetupError } from "./database/connection.ts";
import { release } from "./release.ts";

const program = new Command("promptreg-server")
  .description("The Promptreg server and its administration.")
  .version(release)
  .showHelpAfterError("(add --help for usage)")
  .addHelpText(
    "after",
    `
Environment:
  PORT, HOST                 where to listen (8787, 127.0.0.1)
  PUBLIC_URL                 the origin that clients use to reach the server
  MEDIA_URL                  the origin that serves pictures and files, if it is another one
  MEDIA_STORE                where they are kept: s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1,
                             with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or these with _FILE and a path; by
                             default in the data folder
  DATABASE_URL               your own PostgreSQL, 15 or newer; by default one runs in the data folder
  DATABASE_WAIT_SECONDS      how long serve and worker wait for it if it is not up yet (30)
  DRAIN_SECONDS              how long a server that gets SIGTERM sends clients elsewhere before it stops (3)
  TRUSTED_PROXIES            proxies whose X-Forwarded-For is trusted: addresses and networks, comma-separated
  RATE_LIMITS                replaces built-in limits, such as read=6000/60,anon=120/60; off for none
  ACCOUNT_STORAGE_MB         how many megabytes the files of an account may take (10000)
  HELD_WORDS                 words and phrases, comma-separated: comments with one of them wait for a moderator
  LOG_LEVEL                  fatal, error, warn, info, debug, trace or silent (info)
  PROMPTREG_DATA_DIR         the data folder (.promptreg)
  PROMPTREG_SECRET           encrypts webhook secrets, 32 bytes or more; required with DATABASE_URL, otherwise kept in
                             the data folder
  SMTP_URL, MAIL_FROM        the mail server, smtps://user:password@host, and the sender; both need PUBLIC_URL; by
                             default no mail is sent
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
  .command("suspend <handle>")
  .description("keep an account from changing anything")
  .option("--undo", "lift the suspension")
  .action(async (handle: string, options: { undo?: boolean }) =>
    (await import("./commands/users.ts")).suspend(handle, options),
  );
user
  .command("role <handle> <role>")
  .description("set the role of an account: user, moderator or admin")
  .action(async (handle: string, role: string) =>
    (await import("./commands/users.ts")).setRole(handle, role),
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
  .action(async (options: { user: string; scopes: string; name: string; role: string; expiresIn?: string }) =>
    (await import("./commands/tokens.ts")).create(options),
  );
token
  .command("list")
  .description("list the tokens of an account, without the tokens themselves")
  .requiredOption("--user <handle>", "owner of the tokens")
  .option("--json", "as JSON")
  .action(async (options: { user: string; json?: boolean }) =>
    (await import("./commands/tokens.ts")).list(options),
  );
token
  .command("revoke <id>")
  .description("revoke a token at once")
  .action(async (id: string) => (await import("./commands/tokens.ts")).revoke(id));

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
