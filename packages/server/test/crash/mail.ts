import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import type { ProofDatabase } from "./database.ts";
import type { World } from "./world.ts";

/** A mail server that keeps the Message-ID and subject of what it is given. */
export interface Mailbox {
  env: Record<string, string>;
  mails: { id: string; text: string }[];
  close(): void;
}

export async function openMailbox(): Promise<Mailbox> {
  const mails: Mailbox["mails"] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, _, done) {
      void text(stream).then((text) => {
        mails.push({ id: /^message-id: *(\S+)/im.exec(text)?.[1] ?? "", text });
        done();
      });
    },
  });
  // A worker that is killed in the middle of a mail is no trouble of the server's.
  server.on("error", () => {});
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Promptreg <noreply@example.com>" },
    mails,
    close: () => server.close(),
  };
}

/** One disable gives one notification and one e-mail; one that was sent twice is the same e-mail, by its Message-ID. */
export async function compareMail(
  database: ProofDatabase,
  { subscribers }: World,
  { mails }: Mailbox,
): Promise<{ problems: string[]; figure: string }> {
  const [table] = await database.ask(
    (sql) => sql<{ exists: boolean }[]>`select to_regclass('notifications') is not null as exists`,
  );
  if (!table?.exists) return { problems: [], figure: "there are no notifications yet" };
  const rows = await database.ask((sql) => sql`select from notifications where type = 'webhook.disabled'`);
  const doomed = subscribers.filter(({ isDoomed }) => isDoomed).length;
  const ids = new Set(mails.map(({ id }) => id));
  const problems: string[] = [];
  if (rows.count !== doomed)
    problems.push(`${doomed} webhooks were disabled, and ${rows.count} notifications written`);
  if (ids.size !== doomed) problems.push(`${doomed} webhooks were disabled, and ${ids.size} e-mails sent`);
  return {
    problems,
    figure: `${rows.count} notifications, ${ids.size} e-mails (sent ${mails.length} times)`,
  };
}
