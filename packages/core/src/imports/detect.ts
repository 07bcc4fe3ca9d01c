import { readEntry } from "../content/entry.ts";
import { checkFiles } from "../content/files.ts";
import { entryFiles } from "../content/kinds.ts";
import { comparePaths } from "../content/paths.ts";
import type { Variable } from "../template/variable.ts";
import { withoutByteOrderMark } from "../template/frontmatter.ts";
import type { FormatFile } from "../formats/format.ts";
import { type Detector, type Found, type ImportDraft, ImportError, type Surroundings } from "./detector.ts";
import { namedTexts, plainPrompt } from "./detectors/instructions.ts";
import { pastedText } from "./detectors/prompt-folder.ts";
import { detectors } from "./detectors/table.ts";
import { fitTags, fitText, nameOf, Slugs } from "./foreign/names.ts";
import { Licenses } from "./licenses.ts";
import { isLeftOut, type Source, type SourceFile } from "./source.ts";

/** A prompt in a source. */
export interface DetectedPrompt
  extends Pick<ImportDraft, "part" | "kind" | "title" | "summary" | "tags" | "license" | "warnings"> {
  /** The name of the detector. */
  detector: string;
  /** What its format is called. */
  format: string;
  confidence: number;
  /** The file that it was found in. */
  sourcePath: string;
  /** The file that says the license, if the prompt itself does not. */
  licenseFrom: string | null;
  /** What it is called, as a slug; null if its file has the name that its tool gives to all such files. */
  name: string | null;
  /** No other prompt of the source has it. */
  slug: string;
  /** The content of the entry file, and the files beside it that the source does not have. */
  files: FormatFile[];
  /** The files of the source that come along, and under which path. */
  taken: { path: string; from: SourceFile }[];
  variables: Variable[];
}

/** A file, or a part of it, that is of a known format and gives no prompt. */
export interface RefusedPrompt {
  sourcePath: string;
  part: string | null;
  format: string;
  /** A sentence. */
  reason: string;
}

export type Detection = { prompt: DetectedPrompt } | { refused: RefusedPrompt };

/** Kinds of which any text can be one. */
export type NamedKind = keyof typeof namedTexts;

export interface DetectOptions {
  /** The kind that a text becomes, if it is nothing else: people named it. Null for others. */
  kindOf?: (path: string) => NamedKind | null;
  /** Whether the source is a text that somebody pasted, as a prompt folder. */
  isPaste?: boolean;
  /** What the source is called. Files that are called the same in every project get it in their slugs. */
  project?: string;
}

/** They take any text, so that the path alone says that a file is one. */
const textsByPath = new Set<Detector>([plainPrompt, ...Object.values(namedTexts)]);

/** A text that is larger is none that a person wrote for a model. */
const maxTextBytes = 1024 * 1024;

/**
 * Finds the prompts of a source, and what of a known format is broken. Files are read one at a time, and only those that a detector
 * takes by their path. Equal sources give equal prompts, in the order of their paths.
 */
export async function* detect(
  source: Source,
  { kindOf = () => null, isPaste = false, project = "" }: DetectOptions = {},
): AsyncGenerator<Detection> {
  const files = source.files.filter(({ path }) => !isLeftOut(path)).toSorted(comparePaths);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const around: Surroundings = {
    paths: [...byPath.keys()],
    read: async (wanted) => {
      const other = byPath.get(wanted);
      return other === undefined ? null : textOf(source, other);
    },
  };
  const walk: Walk = {
    source,
    project,
    files,
    around,
    claimed: new Set(),
    slugs: new Slugs(),
    licenses: new Licenses(around),
  };
  for (const isClaiming of [true, false]) {
    for (const file of files) {
      if (walk.claimed.has(file.path)) continue;
      for (const detector of isPaste ? [pastedText, ...detectors] : detectorsOf(kindOf(file.path))) {
        if ((detector.claims === true) !== isClaiming || !detector.takes(file.path)) continue;
        let count = 0;
        for await (const found of read(walk, detector, file)) {
          count += 1;
          yield await finish(walk, detector, file, found);
        }
        if (count > 0) break;
      }
    }
  }
}

/** What is said of a text comes before what its folder says, which is the last of all. */
const detectorsOf = (kind: NamedKind | null): readonly Detector[] =>
  kind === null ? detectors : detectors.toSpliced(-1, 0, namedTexts[kind]);

interface Walk {
  source: Source;
  project: string;
  files: readonly SourceFile[];
  around: Surroundings;
  /** The files that belong to a prompt that was found. */
  claimed: Set<string>;
  slugs: Slugs;
  licenses: Licenses;
}

async function* read({ source, around }: Walk, detector: Detector, file: SourceFile): AsyncGenerator<Found> {
  const { path, size } = file;
  try {
    if ("stream" in detector) {
      yield* detector.stream(source.stream(path), path);
      return;
    }
    const text = await textOf(source, file);
    if (text !== null) yield* await detector.read({ path, text }, around);
    // Of other files nobody knows whether they are of the format.
    else if (detector.confidence === 1 || textsByPath.has(detector))
      yield new ImportError(size > maxTextBytes ? "It is over 1 MiB." : "It is not UTF-8 text.");
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    yield error;
  }
}

async function textOf(source: Source, { path, size }: SourceFile): Promise<string | null> {
  if (size > maxTextBytes) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await source.read(path));
    return text.includes("\0") ? null : withoutByteOrderMark(text);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Makes a prompt of a draft that the registry would take, or says why it cannot. */
async function finish(walk: Walk, detector: Detector, file: SourceFile, found: Found): Promise<Detection> {
  const sourcePath = (found instanceof ImportError ? undefined : found.path) ?? file.path;
  walk.claimed.add(sourcePath);
  const refuse = (reason: string, part: string | null): Detection => ({
    refused: { sourcePath, part, format: detector.title, reason },
  });
  if (found instanceof ImportError) return refuse(found.message, found.part);
  const { kind, part } = found;
  const name = nameOf(found.name, sourcePath);
  const slug = walk.slugs.take(name ?? `${walk.project} ${found.name}`, kind);
  const { taken, inner } = takenBy(walk, found, sourcePath);
  const files = [
    { path: entryFiles[kind], mode: "100644" as const, content: found.entry },
    ...(found.files ?? []),
  ];
  const { files: checked, problems: wrong } = await checkFiles(
    files.map(({ content, ...rest }) => ({ ...rest, content: typeof content === "string" ? content : "" })),
  );
  const entry = readEntry(kind, checked, slug);
  const [problem] = [...wrong, ...entry.problems];
  if (problem !== undefined) return refuse(problem.message, part);
  const { license, licenseFrom, warnings } = await walk.licenses.of(found.license, sourcePath);
  return {
    prompt: {
      detector: detector.name,
      format: detector.title,
      confidence: detector.confidence,
      sourcePath,
      part,
      kind,
      name,
      slug,
      title: fitText(found.title, 120) ?? slug,
      summary: fitText(found.summary, 280),
      tags: fitTags(found.tags),
      license,
      licenseFrom,
      files,
      taken,
      variables: entry.variables,
      warnings: [
        ...found.warnings,
        ...inner.map(
          (folder) =>
            `${folder} has a ${entryFiles[kind]}, so it is a prompt of its own and does not come along.`,
        ),
        ...entry.warnings.map(({ message }) => message).filter((message) => !isSaid(message, found.warnings)),
        ...warnings,
      ],
    },
  };
}

/** Whether the reader of the format named the same mark of a template, and where it stands in the file. */
function isSaid(message: string, warnings: readonly string[]): boolean {
  const [, mark] = /^Line \d+: (.+) is (?:a|logic of)\b/.exec(message) ?? [];
  return mark !== undefined && warnings.some((one) => one.includes(`: ${mark} is logic of a template`));
}

/** The files of the folder that comes along. A skill in a skill is one of its own. */
function takenBy(
  { files, claimed }: Walk,
  { folder, kind }: ImportDraft,
  own: string,
): { taken: DetectedPrompt["taken"]; inner: string[] } {
  if (folder === undefined) return { taken: [], inner: [] };
  const prefix = folder === "" ? "" : `${folder}/`;
  const entry = entryFiles[kind];
  claimed.add(`${prefix}${entry}`);
  const others = filesBelow(files, prefix).filter(({ path }) => path !== own && path !== `${prefix}${entry}`);
  const inner = new Set(
    others.flatMap(({ path }) => (path.endsWith(`/${entry}`) ? [path.slice(0, -entry.length)] : [])),
  );
  const taken = others.flatMap((file) => {
    const { path } = file;
    if (isBelow(path, inner)) return [];
    claimed.add(path);
    return [{ path: path.slice(prefix.length), from: file }];
  });
  return { taken, inner: Array.from(inner, (path) => path.slice(prefix.length)) };
}

/** Whether one of the folders, which have a trailing slash, has the file. */
function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    if (folders.has(path.slice(0, slash + 1))) return true;
  }
  return false;
}

/** They lie side by side, since files are in the order of their paths. */
function filesBelow(files: readonly SourceFile[], prefix: string): readonly SourceFile[] {
  // "0" comes after "/".
  return prefix === ""
    ? files
    : files.slice(firstFrom(files, prefix), firstFrom(files, `${prefix.slice(0, -1)}0`));
}

function firstFrom(files: readonly SourceFile[], path: string): number {
  let start = 0;
  for (let end = files.length; start < end; ) {
    const middle = (start + end) >> 1;
    if ((files[middle]?.path ?? "") < path) start = middle + 1;
    else end = middle;
  }
  return start;
}
