export type { Format, FormatCase, FormatFile, FormatPrompt, FormatSource, Written } from "./format.ts";
export { FormatError } from "./format.ts";
export { formatKinds, type FormatName, formatNames } from "./names.ts";
export { formats } from "./table.ts";
export { writeFormat } from "./write.ts";
