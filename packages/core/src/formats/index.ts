export type {
  Format,
  FormatAssertion,
  FormatCase,
  FormatFile,
  FormatPrompt,
  FormatSource,
  Written,
} from "./format.ts";
export { FormatError } from "./format.ts";
export { formatKinds, type FormatName, formatNames } from "./names.ts";
export { isLinkTo, linkTo } from "../groups/open-in/open-link.ts";
export {
  kindsOfTool,
  maxOpenUrlLength,
  modeOfTool,
  type OpenTargetId,
  openTargetIds,
  openTool,
} from "../groups/open-in/open-targets.ts";
export { putSection, readSection, removeSection, SectionError } from "./section.ts";
export { formats } from "./table.ts";
export { type Place, placeFor, type Tool, type ToolName, toolNames, tools } from "./tools.ts";
export { writeFormat } from "./write.ts";
