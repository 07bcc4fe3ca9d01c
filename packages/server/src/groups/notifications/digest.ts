import type { ServerContext } from "../../kernel/server-context.ts";
import { type Digest, type DigestJob, selectDigest } from "./digest.sql.ts";
import { postpone } from "./mail.sql.ts";
import { unsubscribeUrl } from "./token.ts";

/** Mails an account its news of a day, if it still wants that and there are any. A refused mail is treated as that of a notification. */
export async function sendDigest(server: ServerContext, job: DigestJob): Promise<void> {
  const { sql, mailer, log, publicUrl } = server;
  if (mailer === null) throw new Error("There is no mail server. Set SMTP_URL again.");
  if (mailer.isBusy) return void (await postpone(sql, { task: "digest", key: `digest ${job.userId}`, job }));
  const digest = await selectDigest(sql, job);
  if (digest === null) return;
  const { userId, until } = job;
  const unsubscribe = unsubscribeUrl(server, { userId, list: "digest", expiresAt: digest.expiresAt });
  const id = `digest-${userId}-${Date.parse(until)}`;
  const refusal = await mailer.send({
    id,
    to: digest.email,
    subject: `${digest.count} ${digest.count === 1 ? "notification" : "notifications"} on ${new URL(publicUrl).host}`,
    text: textOf(digest, { unsubscribe, publicUrl }),
    unsubscribeUrl: unsubscribe,
  });
  if (refusal !== null) log.warn({ mail: id }, `a digest was dropped: ${refusal}`);
}

function textOf(
  { handle, count, items }: Digest,
  { unsubscribe, publicUrl }: { unsubscribe: string; publicUrl: string },
): string {
  const more = count - items.length;
  return `${items.map(({ title, url }) => `${title}\n${url}`).join("\n\n")}
${more > 0 ? `\nAnd ${more} more.\n` : ""}
-- 
This goes once a day to the account ${handle} on ${publicUrl}, which wants a digest of what it has not read.
To end that: ${unsubscribe}
`;
}
