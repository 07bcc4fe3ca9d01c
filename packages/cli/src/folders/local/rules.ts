// Loaded when something is sent or checked, since the readers of YAML and schemas take long to load.
import { CommitVersion, describeIssue, labelProblem, largeBody, readEntry } from "@promptreg/core";
import { entryFiles } from "@promptreg/core/content";
import { searchedText } from "@promptreg/core/secrets";
import { type Detail, InputError } from "../../errors.ts";
import { modeStays } from "./read-folder.ts";
import type { Manifest } from "./manifest.ts";
import { markedFiles } from "./marks.ts";
import { describeSecrets } from "../../requests/secrets.ts";
import { type LocalPrompt, placeIn, type ReadFolder, refusalOf, slugOf } from "./read-prompt.ts";

/** What is sent with the files, as far as rules apply to it. */
export interface Sending {
  message?: string | undefined;
  label?: readonly string[] | undefined;
  /** Lets go out what looks like a secret. */
  allowSecrets?: boolean | undefined;
}

/**
 * Applies the rules to what goes with all folders alike, so that it is told once.
 * @throws {InputError} in one sentence.
 */
export async function requireSending({ message, label = [], allowSecrets = false }: Sending): Promise<void> {
  const sent = CommitVersion.safeParse({ message, labels: label }, { error: describeIssue });
  const refused = [
    ...(sent.error?.issues ?? []).map(({ path, message }) => `${optionOf(path, label)} ${message}`),
    ...label.flatMap((name) => labelProblem(name) ?? []),
  ];
  if (!allowSecrets && message !== undefined)
    for (const found of await describeSecrets([{ path: "--message", text: message }]))
      refused.push(`${found.path}: ${found.message}`);
  if (refused.length > 0) throw new InputError(`Nothing was pushed. ${refused.join("; ")}`);
}

/** `--label Bad!` instead of `labels.0`. */
const optionOf = ([field, index]: readonly PropertyKey[], labels: readonly string[]) =>
  field === "labels" ? `--label ${labels[Number(index)] ?? ""}`.trim() : `--${String(field)}`;

/** What the registry would refuse, and what it would remark; of both each with the field or the file that it is about. */
export interface Verdict {
  problems: Detail[];
  warnings: Detail[];
}

/** Applies to a prompt all rules that the registry will, by its own code, and looks for secrets. Nothing is asked. */
export async function applyRules(
  {
    manifest,
    files,
    checked,
    leftBehind,
  }: Omit<ReadFolder, "manifest" | "problems"> & { manifest: Manifest },
  { message, label = [], allowSecrets = false }: Sending,
): Promise<Verdict> {
  const entryFile = entryFiles[manifest.kind];
  const missing = leftBehind.find(({ path, why }) => path === entryFile && why !== modeStays);
  const isRefused =
    files.some(({ path }) => path === entryFile) && !checked.some(({ path }) => path === entryFile);
  const entry = readEntry(manifest.kind, checked, slugOf(manifest));
  const problems: Detail[] = [];
  // Whoever reads of a file that is missing looks at the folder, and finds it there.
  if (missing)
    problems.push({ path: entryFile, message: `is the prompt itself, but is not sent: ${missing.why}` });
  else if (!isRefused) problems.push(...entry.problems.map((problem) => placeIn(files, problem)));

  const size = Buffer.byteLength(JSON.stringify({ ...manifest, message, labels: label, files }));
  if (size > largeBody.maxBytes) {
    const most = `${largeBody.maxBytes / 1024 / 1024} MiB`;
    problems.push({
      path: "",
      message: `The files are ${size} bytes as sent. The limit is ${most}.`,
    });
  }
  problems.push(...markedFiles(checked));
  if (!allowSecrets) {
    const said = Object.entries(manifest).map(([path, value]) => ({ path, text: String(value) }));
    const texts = checked.map((file) => ({ path: file.path, text: searchedText(file) }));
    problems.push(...(await describeSecrets([...texts, ...said])));
  }
  return { problems, warnings: entry.warnings.map((warning) => placeIn(files, warning)) };
}

/** @throws {InputError} that names all that the registry would refuse, and every secret. */
export async function requireRules(local: LocalPrompt, sending: Sending): Promise<void> {
  const { problems } = await applyRules(local, sending);
  if (problems.length > 0) throw refusalOf(local.folder, problems);
}
