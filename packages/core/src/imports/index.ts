export {
  detect,
  type DetectedPrompt,
  type Detection,
  type DetectOptions,
  type NamedKind,
  type RefusedPrompt,
} from "./detect.ts";
export {
  type DetectedText,
  type Detector,
  type Found,
  type ImportDraft,
  ImportError,
  type StreamDetector,
  type Surroundings,
  type TextDetector,
} from "./detector.ts";
export { splitFrontmatter } from "../template/frontmatter.ts";
export { pastedText } from "./detectors/prompt-folder.ts";
export { detectors } from "./detectors/table.ts";
export { type PromptfooCase, readPromptfooCases } from "./foreign/promptfoo-cases.ts";
export { plainLine } from "./foreign/names.ts";
export { parsePlace, type Place, type PlaceArchive, PlaceError, type PlaceOptions } from "./place.ts";
export type { Source, SourceFile } from "./source.ts";
export { type Near, NearIndex } from "./text/near.ts";
