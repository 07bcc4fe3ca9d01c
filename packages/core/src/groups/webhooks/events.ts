import * as z from "zod";
import { event } from "../../language/event.ts";
import { id } from "../../language/fields.ts";

/** The data of `ping`. */
export interface Ping {
  webhook: { id: string; url: string };
  message: string;
}

export const webhookEvents = {
  ping: event<Ping>({
    description: "A test delivery, sent once when you ask for it.",
    watchLevels: [],
    isSubscribable: false,
    data: z.strictObject({
      webhook: z.strictObject({ id: id("whk"), url: z.string() }),
      message: z.string(),
    }),
    example: {
      webhook: { id: "whk_01jd0000000000000000000000", url: "https://receiver.example/hook" },
      message: "It works.",
    },
  }),
};
