import { type Describe, inLine } from "../../language/notification.ts";

/** An import whose prompts can be chosen. */
export interface ReadyImport {
  id: string;
  /** What was imported, as its owner called it. */
  label: string;
  /** How many prompts were found. */
  detected: number;
  /** Its address in the API. */
  url: string;
}

export const importNotifications: { "import.ready": Describe<ReadyImport, "import"> } = {
  "import.ready": ({ id, label, detected, url }) => ({
    title:
      detected === 0
        ? "Your import found no prompts"
        : `Your import is ready: ${detected} ${detected === 1 ? "prompt" : "prompts"} found`,
    body:
      detected === 0
        ? `Its warnings may say why nothing of ${inLine(label)} is one.`
        : `Choose from ${inLine(label)} within 7 days.`,
    url,
    target: { type: "import", id },
  }),
};
