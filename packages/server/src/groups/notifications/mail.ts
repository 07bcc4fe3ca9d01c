import type { ServerContext } from "../../kernel/server-context.ts";
import { type MailedNotification, type MailJob, postpone, selectMail } from "./mail.sql.ts";
import { unsubscribeUrl } from "./token.ts";

/**
 * Mails a notification, if it is still wanted. If sending may work later, the queue retries for days. If the server will never
 * accept the mail, it is dropped.
 */
export async function mail(server: ServerContext, job: MailJob): Promise<void> {
  const { sql, mailer, log } = server;
  if (mailer === null) throw new Error("There is no mail server. Set SMTP_URL again.");
  const mailed = await selectMail(sql, job);
  if (mailed === null) return;
  // Several jobs began at once, before the worker noticed that mail is busy.
  if (mailer.isBusy) {
    const key = `${job.noticeId} ${job.userId}`;
    return void (await postpone(sql, { task: "mail", key, job }));
  }
  const { userId, type: list, expiresAt } = mailed;
  const unsubscribe = unsubscribeUrl(server, { userId, list, expiresAt });
  const refusal = await mailer.send({
    id: mailed.id,
    to: mailed.email,
    subject: mailed.title,
    text: textOf(mailed, { unsubscribe, publicUrl: server.publicUrl }),
    unsubscribeUrl: unsubscribe,
  });
  if (refusal !== null) log.warn({ notification: mailed.id }, `a mail was dropped: ${refusal}`);
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
