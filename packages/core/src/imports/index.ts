export { type DetectedText, type Detector, type ImportDraft, ImportError } from "./detector.ts";
export { detectors } from "./detectors/table.ts";
export type { Source, SourceFile } from "./source.ts";
