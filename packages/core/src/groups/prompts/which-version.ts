import type { OptionalSchema } from "../../schema.ts";
import { labelName, versionNumberText } from "../../fields.ts";

/** Which version of a prompt is wanted: neither field means the latest. */
export interface WhichVersion {
  /** A version's number; excludes `label`. */
  version?: number;
  /** A label's name; excludes `version`. */
  label?: string;
}
export const whichVersion: { version: OptionalSchema<number>; label: OptionalSchema<string> } = {
  version: versionNumberText.optional(),
  label: labelName.optional(),
};
export const oneOfVersionAndLabel = {
  check: (query: WhichVersion) => query.version === undefined || query.label === undefined,
  error: "version and label exclude each other",
};
