import type { ServerGroup } from "../../kernel/group.ts";
import type { NotifyJob } from "../../kernel/changes/notify.ts";
import { insertNotification } from "./insert.ts";
import { sendDigest } from "./digest.ts";
import { type DigestJob, queueDigests } from "./digest.sql.ts";
import { mail } from "./mail.ts";
import type { MailJob } from "./mail.sql.ts";
import * as handlers from "./notifications.ts";
import { sweepNotifications } from "./sweep.sql.ts";

export const notifications = {
  handlers,
  work: (server) => ({
    tasks: {
      notify: (job: NotifyJob) => insertNotification(server, job),
      // Without a mail server, mails wait for a worker that has one.
      ...(server.mailer && {
        mail: (job: MailJob) => mail(server, job),
        digest: (job: DigestJob) => sendDigest(server, job),
      }),
    },
    async everyMinute() {
      await sweepNotifications(server.sql);
      if (server.mailer) await queueDigests(server.sql);
    },
  }),
} satisfies ServerGroup<"notifications">;
export {
  insertNotification,
  insertNotifications,
  type NewsOfEvent,
  notifyAccounts,
  notifyDisabled,
} from "./insert.ts";
export { sweepNotifications } from "./sweep.sql.ts";
