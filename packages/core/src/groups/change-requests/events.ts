import * as z from "zod";
import { event } from "../../language/event.ts";
import { ref, versionNumber } from "../../language/fields.ts";

/** The change request of an event. */
interface EventChangeRequest {
  n: number;
  title: string;
  url: string;
  /** `ref` is null if the fork is not public. */
  source: { ref: string | null; versionNumber: number };
  baseVersionNumber: number;
}
/** The data of `change_request.opened`. */
export interface ChangeRequestOpened {
  changeRequest: EventChangeRequest;
}
/** The data of `change_request.merged`. */
export interface ChangeRequestMerged {
  changeRequest: EventChangeRequest & { mergedVersionNumber: number };
}

const opened = {
  n: versionNumber,
  title: z.string(),
  url: z.string(),
  source: z.strictObject({ ref: ref.nullable(), versionNumber }),
  baseVersionNumber: versionNumber,
};
const example: EventChangeRequest = {
  n: 12,
  title: "Ask for a summary first",
  url: "https://prompts.example/api/v1/prompts/alice/pr-review/change-requests/12",
  source: { ref: "bob/pr-review", versionNumber: 2 },
  baseVersionNumber: 11,
};

export const changeRequestEvents = {
  "change_request.opened": event<ChangeRequestOpened>({
    description: "Someone proposed a change to the prompt.",
    watchLevels: ["all"],
    data: z.strictObject({ changeRequest: z.strictObject(opened) }),
    example: { changeRequest: example },
  }),
  "change_request.merged": event<ChangeRequestMerged>({
    description: "A proposed change was merged into a new version.",
    watchLevels: [],
    data: z.strictObject({
      changeRequest: z.strictObject({ ...opened, mergedVersionNumber: versionNumber }),
    }),
    example: { changeRequest: { ...example, mergedVersionNumber: 13 } },
  }),
};
