import { createRequire } from "node:module";
import { Command } from "commander";
import { DatabaseSetupError } from "./database/connection.ts";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

const program = new Command("promptreg-server")
  .description("The Promptreg server, and what its operators need.")
  .version(version)
  .showHelpAfterError("(add --help for what there is)")
  .addHelpText(
    "after",
    `
Environment:
  PORT, HOST                 where to listen (8787, 127.0.0.1)
  PUBLIC_URL                 the origin under which clients reach the server
  DATABASE_URL               a PostgreSQL of your own, 15 or newer; without it one is run in the data folder
  TRUSTED_PROXIES            proxies whose X-Forwarded-For is believed: addresses and networks, with commas between
  RATE_LIMITS                limits other than those built in, such as read=6000/60,anon=120/60; off for none
  PROMPTREG_DATA_DIR         the data folder (.promptreg)
  PROMPTREG_SECRET           encrypts webhook secrets, 32 bytes or more; needed with DATABASE_URL, else kept in the data folder
  SMTP_URL, MAIL_FROM        where mail goes out, smtps://user:password@host, and whom it is from; without them none is
                             sent; they need PUBLIC_URL
  PROMPTREG_UNSAFE_WEBHOOKS  1 lets webhooks reach this machine and plain http; for development only`,
  );

program
  .command("serve")
  .description("serve the API and send deliveries until stopped")
  .option("--no-migrate", "refuse a database that is behind instead of bringing it up to date")
  .option("--no-worker", "leave deliveries and other jobs to `promptreg-server worker`")
  .action(async (options: { migrate: boolean; worker: boolean }) => {
    const { run } = await import("./commands/serve.ts");
    await run({ serves: true, works: options.worker, migrates: options.migrate });
  });

program
  .command("worker")
  .description("send deliveries and do background jobs, without serving, until stopped")
  .action(async () => {
    const { run } = await import("./commands/serve.ts");
    await run({ serves: false, works: true, migrates: false });
  });

program
  .command("migrate")
  .description("bring the database up to date and end")
  .action(async () => (await import("./commands/migrate.ts")).run());

const user = program.command("user").description("accounts");
user
  .command("add <handle>")
  .description("make an account")
  .option("--name <name>", "the name people see")
  .option("--email <address>", "where mail goes")
  .action(async (handle: string, options: { name?: string; email?: string }) =>
    (await import("./commands/users.ts")).add(handle, options),
  );
user
  .command("list")
  .description("list the accounts")
  .option("--json", "as JSON")
  .action(async (options: { json?: boolean }) => (await import("./commands/users.ts")).list(options));
user
  .command("rename <handle> <new>")
  .description("give an account another handle; the old one goes on leading to it")
  .action(async (handle: string, to: string) => (await import("./commands/users.ts")).rename(handle, to));
user
  .command("suspend <handle>")
  .description("stop an account from changing anything")
  .option("--undo", "let it again")
  .action(async (handle: string, options: { undo?: boolean }) =>
    (await import("./commands/users.ts")).suspend(handle, options),
  );
user
  .command("role <handle> <role>")
  .description("make an account a user, moderator or admin")
  .action(async (handle: string, role: string) =>
    (await import("./commands/users.ts")).setRole(handle, role),
  );

const token = program.command("token").description("API tokens");
token
  .command("create")
  .description("make a token and print it, alone, on standard output; it is shown this once")
  .requiredOption("--user <handle>", "whose token it is")
  .option("--scopes <list>", "of read, write, evals:write, with commas between", "read,write")
  .option("--name <name>", "what it is for", "token")
  .option("--role <role>", "moderator or admin, where the account is one", "user")
  .option("--expires-in <days>", "days until it ends")
  .action(async (options: { user: string; scopes: string; name: string; role: string; expiresIn?: string }) =>
    (await import("./commands/tokens.ts")).create(options),
  );
token
  .command("list")
  .description("list the tokens of an account, without their text")
  .requiredOption("--user <handle>", "whose tokens")
  .option("--json", "as JSON")
  .action(async (options: { user: string; json?: boolean }) =>
    (await import("./commands/tokens.ts")).list(options),
  );
token
  .command("revoke <id>")
  .description("end a token at once")
  .action(async (id: string) => (await import("./commands/tokens.ts")).revoke(id));

program
  .command("export <folder>")
  .description("write everything into a new folder, from which another server can import it")
  .action(async (folder: string) => (await import("./commands/export.ts")).run(folder));
program
  .command("import <folder>")
  .description("fill an empty database with an export")
  .action(async (folder: string) => (await import("./commands/import.ts")).run(folder));

/** Does what a command line says, without the program's name, and gives the exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // What an operator can mend is one sentence; anything else is a fault of ours and shows where it is.
    process.stderr.write(
      `${error instanceof DatabaseSetupError ? `promptreg-server: ${error.message}` : (error as Error).stack}\n`,
    );
    return 1;
  }
}
