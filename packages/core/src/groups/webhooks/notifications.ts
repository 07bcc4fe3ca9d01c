import { type Describe, inLine } from "../../language/notification.ts";

/** A webhook that failed too often. */
export interface DisabledWebhook {
  id: string;
  /** Only the host of its address: the rest can be a secret, and mail can be read on its way. */
  host: string;
  description: string | null;
  /** Its address in the API. */
  url: string;
}

export const webhookNotifications: { "webhook.disabled": Describe<DisabledWebhook, "webhook"> } = {
  "webhook.disabled": ({ id, host, description, url }) => ({
    title: `Your webhook to ${host} was disabled`,
    body: `${description ? `${inLine(description)}: too` : "Too"} many attempts in a row failed. No more events are sent to it, and its waiting deliveries are cancelled. The delivery log says why. Fix the receiver, then enable the webhook again.`,
    url,
    target: { type: "webhook", id },
  }),
};
