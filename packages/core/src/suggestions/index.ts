/** What can be said of a text without a model. A door of its own, since the reader of YAML is behind it. */
export { changedLines, type Content } from "./message.ts";
export {
  type Described,
  heuristic,
  readDescribed,
  type SuggestionInput,
  type SuggestionProvider,
} from "./provider.ts";
export { spellings, type TagCounts } from "./tags.ts";
export { fitTags } from "../imports/foreign/names.ts";
