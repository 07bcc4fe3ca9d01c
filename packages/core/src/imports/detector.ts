import type { FormatFile } from "../formats/format.ts";
import type { PromptKind } from "../content/kinds.ts";

/** A text that may hold prompts. */
export interface DetectedText {
  path: string;
  /** Without a byte order mark. */
  text: string;
}

/** A prompt, as a detector makes it of a text. */
export interface ImportDraft {
  /** Where in the text, if it holds several: `prompts[3]`, a name. The same each time. */
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
  /** Files beside the entry that stand in the text itself. */
  files?: FormatFile[];
  /** The file that it was read from, if another one names it. No other detector gets that file. */
  path?: string;
  /** Sentences about what was changed, and what was lost. */
  warnings: string[];
}

/** What else the source has. */
export interface Surroundings {
  paths: readonly string[];
  /** The text of a file; null if it is not there, too large, or no text. */
  read(path: string): Promise<string | null>;
}

/** What is found, one by one: a prompt, or why one part of the text gives none. */
export type Found = ImportDraft | ImportError;

interface Format {
  /** Named as the format that writes it, if there is one. */
  name: string;
  /** For people: `Cursor rule`. */
  title: string;
  /** The documentation of the format. */
  documentation: string;
  /** How sure it is, from 0 to 1. */
  confidence: number;
  /** Its prompts take other files along, which are no prompts of their own then. */
  claims?: true;
  /** Whether a file may be of this format, by its path. */
  takes(path: string): boolean;
}

/** Reads a text as a whole. */
export interface TextDetector extends Format {
  /**
   * Reads the prompts of a text; none if its content is not of this format.
   * @throws {ImportError} if it is of this format, and broken.
   */
  read(text: DetectedText, around: Surroundings): Found[] | Promise<Found[]>;
}

/** Reads a text that may be too large for memory. */
export interface StreamDetector extends Format {
  /**
   * Gives the prompts of a text as it comes. If the content is not of this format, it ends early, with none.
   * @throws {ImportError} if it is of this format, and broken.
   */
  stream(chunks: AsyncIterable<Uint8Array>, path: string): AsyncIterable<Found>;
}

/** How the prompts of one format are recognised and read. Pure: equal texts give equal prompts. */
export type Detector = TextDetector | StreamDetector;

/** Why a text of a known format, or a part of it, gives no prompt: a sentence. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  /** Where in the text, if it holds several prompts. */
  readonly part: string | null;

  constructor(message: string, part: string | null = null) {
    super(message);
    this.part = part;
  }
}
