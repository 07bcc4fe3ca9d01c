import * as z from "zod";
import { event } from "../../language/event.ts";
import { handle, id, slug, versionNumber } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { LinkStatus } from "./schemas.ts";

/** The data of `make.linked` and `make.approved`. */
export interface MakeEvent {
  make: {
    slug: string;
    title: string;
    url: string;
    maker: { id: string; handle: string; url: string };
  };
  link: { id: string; versionNumber: number; status: LinkStatus };
}
const data: Schema<MakeEvent> = z.strictObject({
  make: z.strictObject({
    slug,
    title: z.string(),
    url: z.string(),
    maker: z.strictObject({ id: id("usr"), handle, url: z.string() }),
  }),
  link: z.strictObject({ id: id("lnk"), versionNumber, status: LinkStatus }),
});
const example: MakeEvent = {
  make: {
    slug: "review-bot",
    title: "A bot that reviews pull requests",
    url: "https://prompts.example/makes/review-bot",
    maker: { id: "usr_01jd0000000000000000000001", handle: "bob", url: "https://prompts.example/bob" },
  },
  link: { id: "lnk_01jd0000000000000000000000", versionNumber: 12, status: "pending" },
};

export const makeEvents = {
  "make.linked": event<MakeEvent>({
    description: "Someone published a make that was made with a version of the prompt.",
    watchLevels: ["all"],
    data,
    example,
  }),
  "make.approved": event<MakeEvent>({
    description: "A make was approved for the gallery of the prompt. Its maker receives this too.",
    watchLevels: [],
    data,
    example: { ...example, link: { ...example.link, status: "approved" } },
  }),
};
