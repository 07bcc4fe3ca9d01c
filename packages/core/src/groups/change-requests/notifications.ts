import type { EventAbout } from "../../language/event.ts";
import { type Describe, type DescribeEach, did } from "../../language/notification.ts";
import type { changeRequestEvents } from "./events.ts";

/** A change request that somebody else than its author closed. */
export interface ClosedChangeRequest extends EventAbout {
  changeRequest: { n: number; title: string; url: string };
}

const about = ({ prompt, changeRequest: { n, url } }: ClosedChangeRequest) => ({
  url,
  target: { type: "change_request" as const, id: `${prompt.ref}!${n}` },
});

export const changeRequestNotifications: DescribeEach<typeof changeRequestEvents, "change_request"> & {
  "change_request.closed": Describe<ClosedChangeRequest, "change_request">;
} = {
  "change_request.opened": (data) => ({
    title: `New change request for ${data.prompt.ref}: ${data.changeRequest.n}`,
    body: did("Opened", data.actor, data.changeRequest.title),
    ...about(data),
  }),
  "change_request.merged": (data) => ({
    title: `Change request ${data.changeRequest.n} was merged into version ${data.changeRequest.mergedVersionNumber} of ${data.prompt.ref}`,
    body: did("Merged", data.actor, data.changeRequest.title),
    ...about(data),
  }),
  "change_request.closed": (data) => ({
    title: `Change request ${data.changeRequest.n} for ${data.prompt.ref} was closed`,
    body: did("Closed", data.actor, data.changeRequest.title),
    ...about(data),
  }),
};
