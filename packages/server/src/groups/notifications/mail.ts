import type { ServerContext } from "../../kernel/server-context.ts";
import { type MailedNotification, type MailJob, postponeMail, selectMail } from "./mail.sql.ts";
import { unsubscribeUrl } from "./token.ts";

/**
 * Mails a notification, if it is still wanted. What may work later is left to the queue, which tries again for days;
 * what the server refuses for good is given up.
 */
export async function mail(server: ServerContext, job: MailJob): Promise<void> {
  const { sql, mailer, log } = server;
  if (mailer === null) throw new Error("There is no mail server any more: set SMTP_URL again.");
  const mailed = await selectMail(sql, job);
  if (mailed === null) return;
  // Several began at once, before the worker knew of each.
  if (mailer.isBusy) return void (await postponeMail(sql, job));
  const unsubscribe = unsubscribeUrl(server, mailed);
  const refusal = await mailer.send({
    id: mailed.id,
    to: mailed.email,
    subject: mailed.title,
    text: textOf(mailed, { unsubscribe, publicUrl: server.publicUrl }),
    unsubscribeUrl: unsubscribe,
  });
  if (refusal !== null) log.warn({ notification: mailed.id }, `a mail is given up: ${refusal}`);
}

const textOf = (
  { title, body, url, type, handle }: MailedNotification,
  { unsubscribe, publicUrl }: { unsubscribe: string; publicUrl: string },
) => `${title}

${body}

${url}

-- 
This goes to the account ${handle} on ${publicUrl}, which wants mail about ${type}.
To end that: ${unsubscribe}
`;
