import { type DescribeEach, did } from "../../notification.ts";
import type { promptEvents } from "./events.ts";

export const promptNotifications: DescribeEach<typeof promptEvents, "prompt" | "version"> = {
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
};
