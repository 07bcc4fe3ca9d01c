import type { OptionalSchema } from "../../language/schema.ts";
import { labelName, versionNumberText } from "../../language/fields.ts";

/** Which version of a prompt to get. Default: the latest. */
export interface WhichVersion {
  /** The number of a version. Do not send it with `label`. */
  version?: number;
  /** The name of a label. Do not send it with `version`. */
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
