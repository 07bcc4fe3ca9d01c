import type { ErrorCode } from "../catalogue/errors.ts";
import type { PromptKind } from "../content/kinds.ts";
import type { Json, Variable } from "../template/variable.ts";
import type { ChatItem } from "../template/version.ts";

/** A file as it lies in a project. */
export interface FormatFile {
  /** Relative to the root of the project, with `/`. */
  path: string;
  mode: "100644" | "100755";
  /** Text, or the bytes of a binary file. */
  content: string | Uint8Array;
}

/** What a tool checks of an output, as promptfoo names it. */
export interface FormatAssertion {
  type: string;
  value?: Json;
  threshold?: number | null;
  weight?: number | null;
}

/** An example of a prompt or a case of a dataset, for formats that have them. */
export interface FormatCase {
  variables: Record<string, Json>;
  /** The output that is wanted; null if none is known. */
  expected: Json;
  /** Of a case: its name in the dataset. */
  key?: string;
  assertions?: readonly FormatAssertion[];
  /** How much it counts. Default: 1. */
  weight?: number;
}

/** A version of a prompt, with everything that a format can show of it. */
export interface FormatSource {
  /** `owner/slug`. */
  ref: string;
  slug: string;
  kind: PromptKind;
  title: string;
  summary: string | null;
  tags: readonly string[];
  /** An SPDX expression. */
  license: string | null;
  /** The URL of the prompt's resource in the API, below which are `raw` and `download`. */
  url: string;
  version: {
    n: number;
    message: string | null;
    /** The path of the entry file. */
    entry: string;
    variables: readonly Variable[];
    config: Readonly<Record<string, Json>>;
    /** ISO 8601. */
    createdAt: string;
  };
  /** The labels that point to the version. */
  labels: readonly string[];
  /** The paths of all files. */
  paths: readonly string[];
  /** The entry file; all files if the format `reads` them. */
  files: readonly FormatFile[];
  cases: readonly FormatCase[];
}

/** A source whose entry file is parsed. */
export interface FormatPrompt extends FormatSource {
  /** The frontmatter of a Markdown entry; all of CHAT.json for a chat. */
  data: Readonly<Record<string, Json>>;
  /** The entry as one text, without frontmatter. The messages of a chat stand below their roles. */
  body: string;
  /** The messages, as rendering would give them: one for a Markdown entry. Variables are not filled in. */
  messages: readonly ChatItem[];
  /** The name of the skill that it is or becomes: that of SKILL.md, else the slug. */
  name: string;
}

/** What a format makes of a prompt. */
export interface Written {
  files: FormatFile[];
  /** Sentences about what was lost, and in the result of `writeFormat` also the risks. */
  warnings?: string[];
  /** Sentences about what the tool does by itself: it runs commands, reads files, or does not ask. */
  risks?: string[];
}

/** How to write the files of one tool. Pure: equal prompts give equal files. */
export interface Format {
  /** `files`: it copies files beside the entry. */
  reads: "entry" | "files";
  /** It shows the examples of the prompt. */
  showsCases?: true;
  /** Where the tool looks in a project. Without it the files lie at the root. */
  folder?: string;
  /** Its file belongs to the project: an installer writes a section (`putSection`), and never the whole file. */
  isShared?: true;
  /**
   * Writes files with paths below `folder`.
   * @throws {FormatError} if the tool would refuse the prompt, or it is unsafe there.
   */
  write(prompt: FormatPrompt): Written;
}

/** Why a prompt cannot be written in a format. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly code: Extract<ErrorCode, "format_not_supported" | "format_too_large" | "format_unsafe">;

  constructor(code: FormatError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
