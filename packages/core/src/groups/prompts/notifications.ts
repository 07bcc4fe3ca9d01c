import type { EventAbout, EventPrompt } from "../../language/event.ts";
import { type Describe, type DescribeEach, did } from "../../language/notification.ts";
import type { promptEvents } from "./events.ts";

/** A fork of a prompt; the prompt of the event is the one that was forked. */
export interface ForkedPrompt extends EventAbout {
  fork: EventPrompt;
}

export const promptNotifications: DescribeEach<typeof promptEvents, "prompt" | "version"> & {
  "prompt.forked": Describe<ForkedPrompt, "prompt">;
} = {
  "prompt.version.created": ({ prompt, actor, version }) => ({
    title: `New version of ${prompt.ref}: ${version.versionNumber}`,
    body: did("Committed", actor, version.message),
    url: version.url,
    target: { type: "version", id: `${prompt.ref}@${version.versionNumber}` },
  }),
  "prompt.label.moved": ({ prompt, actor, label, previousVersionNumber }) => {
    const from = previousVersionNumber === null ? "set" : `moved from version ${previousVersionNumber}`;
    return {
      title: `${label.name} of ${prompt.ref} ${from} to version ${label.versionNumber}`,
      body: did(previousVersionNumber === null ? "Set" : "Moved", actor, label.reason),
      url: `${prompt.url}@${label.versionNumber}`,
      target: { type: "version", id: `${prompt.ref}@${label.versionNumber}` },
    };
  },
  "prompt.published": ({ prompt, actor, version }) => ({
    title: `${prompt.ref} is published`,
    body: did("Published", actor),
    url: version.url,
    target: { type: "prompt", id: prompt.ref },
  }),
  "prompt.deleted": ({ prompt, actor }) => ({
    title: `${prompt.ref} was deleted`,
    body: did("Deleted", actor),
    url: prompt.url,
    target: { type: "prompt", id: prompt.ref },
  }),
  "prompt.forked": ({ prompt, actor, fork }) => ({
    title: `${prompt.ref} was forked`,
    body: did("Forked", actor, fork.ref),
    url: fork.url,
    target: { type: "prompt", id: fork.ref },
  }),
};
