import type { EventAbout } from "../../language/event.ts";
import { type Describe, type DescribeEach, did } from "../../language/notification.ts";
import type { makeEvents, MakeEvent } from "./events.ts";

/** A link that the owner of its prompt rejected. */
export interface RejectedMake extends MakeEvent, EventAbout {
  reason: string | null;
}

const about = ({ make: { slug, url } }: MakeEvent) => ({ url, target: { type: "make" as const, id: slug } });

export const makeNotifications: DescribeEach<typeof makeEvents, "make"> & {
  "make.rejected": Describe<RejectedMake, "make">;
} = {
  "make.linked": (data) => ({
    title: `Something was made with ${data.prompt.ref}`,
    body: did("Made", data.make.maker, data.make.title),
    ...about(data),
  }),
  "make.approved": (data) => ({
    title: `A make with ${data.prompt.ref} is approved`,
    body: did("Approved", data.actor, data.make.title),
    ...about(data),
  }),
  "make.rejected": (data) => ({
    title: `Your make is not in the gallery of ${data.prompt.ref}`,
    body: did("Rejected", data.actor, data.reason ?? data.make.title),
    ...about(data),
  }),
};
