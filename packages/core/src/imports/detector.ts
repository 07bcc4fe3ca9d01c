import type { PromptKind } from "../groups/prompts/kinds.ts";

/** A text that may hold prompts. */
export interface DetectedText {
  path: string;
  /** Without a byte order mark. */
  text: string;
}

/** A prompt, as a detector makes it of a text. */
export interface ImportDraft {
  /** Where in the text, if it holds several: `row 12`, `prompts[3]`, a name. The same each time. */
  part: string | null;
  kind: PromptKind;
  /** For the slug. */
  name: string;
  title: string;
  summary: string | null;
  tags: string[];
  /** An SPDX expression. */
  license: string | null;
  /** The content of the kind's entry file. */
  entry: string;
  /** A folder whose other files come along, as those of a skill. */
  folder?: string;
  /** Sentences about what was changed, and what was lost. */
  warnings: string[];
}

/** How the prompts of one format are recognised and read. Pure: equal texts give equal prompts. */
export interface Detector {
  /** Named as the format that writes it, if there is one. */
  name: string;
  /** For people: `Cursor rule`. */
  title: string;
  /** The documentation of the format. */
  documentation: string;
  /** How sure it is, from 0 to 1. */
  confidence: number;
  /** Whether a file may be of this format, by its path. */
  takes(path: string): boolean;
  /**
   * Reads the prompts of a text; none if its content is not of this format.
   * @throws {ImportError} if it is of this format, and broken.
   */
  read(text: DetectedText): ImportDraft[];
}

/** Why a text of a known format gives no prompt: a sentence. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}
