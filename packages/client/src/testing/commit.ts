import {
  apiError,
  type CheckedFile,
  checkFiles,
  type CommittedVersion,
  contentHash,
  type FileInput,
  type OperationOf,
  type Origin,
  type Problem,
  readEntry,
  type Version,
  type Warning,
} from "@promptreg/core";
import type { Content, Context } from "./handler.ts";
import { showVersion, urlOf } from "./show.ts";
import { type Caller, latestOf, type StoredPrompt, type World } from "./world.ts";

/** @throws {ApiError} with all problems at once. */
function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first) throw apiError(first.code, { message: first.message, details: problems });
}

/** @throws {ApiError} `invalid_file` or `payload_too_large`. */
export async function checkContent(inputs: readonly FileInput[]): Promise<Content> {
  const { files, problems } = await checkFiles(inputs);
  refuse(problems);
  return { files, contentHash: await contentHash(files) };
}

interface Committing {
  caller: Caller;
  world: World;
  emit: Context<OperationOf<"prompts.versions.restore">>["emit"];
}

/**
 * Adds the next version of a prompt, from checked files, and emits the event.
 * @throws {ApiError} `invalid_entry`, `invalid_variables` or `no_changes`.
 */
export function commit(
  committing: Committing,
  prompt: StoredPrompt,
  { content, message, origin }: { content: Content; message: string | null; origin: Origin },
): CommittedVersion {
  const { warnings, problems, ...entry } = readEntry(prompt.kind, content.files, prompt.slug);
  refuse(problems);
  const files = content.files.map(asAnswered).sort((a, b) => (a.path < b.path ? -1 : 1));
  const { contentHash } = content;
  return addVersion(committing, prompt, { ...entry, files, contentHash, message, origin, warnings });
}

/** The fields of the next version, except those that the registry sets. */
type Next = Omit<Version, "id" | "n" | "promptId" | "author" | "createdAt"> & {
  warnings: readonly Warning[];
};

/** @throws {ApiError} `no_changes`. */
export function addVersion(
  { caller, world, emit }: Committing,
  prompt: StoredPrompt,
  { warnings, ...next }: Next,
): CommittedVersion {
  const latest = latestOf(prompt)?.version;
  if (latest?.contentHash === next.contentHash) {
    throw apiError("no_changes", { message: `The files equal those of version ${latest.n}.` });
  }
  const version: Version = {
    ...next,
    id: world.newId("ver"),
    n: prompt.versions.length + 1,
    promptId: prompt.id,
    author: { id: caller.id, handle: caller.handle },
    createdAt: world.now(),
  };
  const stored = { version, yanked: null };
  change(world, prompt, { versions: [...prompt.versions, stored] });
  const { id, n, message, contentHash, origin } = version;
  emit("prompt.version.created", prompt, {
    version: { id, versionNumber: n, message, contentHash, origin, url: urlOf(prompt, n) },
  });
  return { ...showVersion(stored, "meta"), warnings: [...warnings] };
}

/** Changes the handler's copy of a prompt, and its revision and time. */
export const change = (world: World, prompt: StoredPrompt, changes: Partial<StoredPrompt>): StoredPrompt =>
  Object.assign(prompt, changes, { revision: prompt.revision + 1, updatedAt: world.now() });

function asAnswered({ bytes, ...file }: CheckedFile): Version["files"][number] {
  const content =
    file.encoding === "utf8"
      ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      : btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { ...file, content };
}
