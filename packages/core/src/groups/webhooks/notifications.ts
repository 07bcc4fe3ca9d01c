import { type Describe, inLine } from "../../notification.ts";

/** A webhook that failed too often. */
export interface DisabledWebhook {
  id: string;
  /** Of its address no more than this is told: the rest of it can be a secret, and mail is read on its way. */
  host: string;
  description: string | null;
  /** Where the API shows it. */
  url: string;
}

export const webhookNotifications: { "webhook.disabled": Describe<DisabledWebhook, "webhook"> } = {
  "webhook.disabled": ({ id, host, description, url }) => ({
    title: `Your webhook to ${host} was disabled`,
    body: `${description ? `${inLine(description)}: too` : "Too"} many attempts in a row failed, so nothing is sent to it any more, and what waited is cancelled. Its log of deliveries says why. Mend the receiver and enable the webhook again.`,
    url,
    target: { type: "webhook", id },
  }),
};
