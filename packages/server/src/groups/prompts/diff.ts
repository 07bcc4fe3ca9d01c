import type { Diff, DiffStats, GetDiff, JsonText } from "@promptreg/core";
import {
  type ChangedFile,
  compareConfig,
  compareVariables,
  diffFiles,
  findChangedFiles,
  hasOtherBytes,
  inTurn,
} from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import { parseRange, type VersionName } from "@promptreg/core/refs";
import type { Sql } from "../../database/sql.ts";
import { revisionAlone } from "../../kernel/operations/etag.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { Turns } from "../../kernel/http/turns.ts";
import { selectBytes, selectSides, selectTexts, type Side } from "./diff.sql.ts";
import { printPatch } from "./patch.ts";
import type { PromptRow } from "./target.ts";

/** Limits concurrent diffs: two versions in memory, and their difference, can use a hundred megabytes. */
const turns = new Turns(2);

export const diff: HandlerWith<"prompts.diff", {}> = {
  // Label moves, commits and yanks raise the revision of their prompt.
  state: revisionAlone,

  async handle({ params, query, target: prompt, accept, sql }) {
    return showDiff(sql, await findSides(sql, prompt, readRange(params.range)), { ...query, accept });
  },
};

interface Sides {
  from: Side;
  to: Side;
}

/** The reply about two versions: as JSON, or as a patch. */
export async function showDiff(
  sql: Sql,
  { from, to }: Sides,
  { path, context = 3, accept }: GetDiff & { accept: string },
) {
  const changed = findChangedFiles(from.files, to.files).filter(
    ({ before, after }) => path === undefined || before?.path === path || after?.path === path,
  );
  if (accept === "text/x-diff") {
    const text = await turns.take("diff", () => patch(sql, changed, context));
    return { status: 200 as const, text };
  }
  const json = await turns.take("diff", () => compare(sql, { from, to, changed, context }));
  return { status: 200 as const, json };
}

/** How much two versions differ. */
export async function diffStats(sql: Sql, { from, to }: Sides): Promise<DiffStats> {
  const changed = findChangedFiles(from.files, to.files);
  const { stats } = await turns.take("diff", async () =>
    diffFiles(changed, { texts: await selectTexts(sql, textsOf(changed)), context: 0 }),
  );
  return stats;
}

function readRange(text: string) {
  try {
    return parseRange(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw apiError("validation_failed", {
      message,
      details: [{ path: "/range", code: "invalid_format", message }],
    });
  }
}

async function findSides(
  sql: Sql,
  { id, ownerHandle, slug }: PromptRow,
  range: { from: VersionName; to: VersionName },
): Promise<Sides> {
  const { from, to } = await selectSides(sql, { promptId: id, ...range });
  if (from !== null && to !== null) return { from, to };
  const missing = from === null ? range.from : range.to;
  const name = "version" in missing ? `version ${missing.version}` : `label ${missing.label}`;
  throw apiError("not_found", {
    message: `${ownerHandle}/${slug} has no ${name === "label latest" ? "latest version" : name}.`,
  });
}

interface Comparing extends Sides {
  changed: ChangedFile[];
  context: number;
}

async function compare(sql: Sql, { from, to, changed, context }: Comparing): Promise<JsonText<Diff>> {
  const texts = await selectTexts(sql, textsOf(changed));
  const { stats, files } = await diffFiles(changed, { texts, context });
  const answer: Diff = {
    from: { n: from.n },
    to: { n: to.n },
    stats,
    files,
    variables: compareVariables(from.variables, to.variables),
    config: { changed: compareConfig(from.config, to.config) },
  };
  // It can have ten megabytes, if files are full of characters that JSON escapes.
  return inTurn(() => JSON.stringify(answer));
}

async function patch(sql: Sql, changed: ChangedFile[], context: number): Promise<string> {
  const texts = await selectTexts(sql, textsOf(changed));
  const bytes = await selectBytes(sql, digestsOf(changed, isBinary));
  const { files } = await diffFiles(changed, { texts, context });
  return printPatch(changed, files, { texts, bytes });
}

const isBinary = ({ before, after }: ChangedFile) =>
  before?.encoding === "base64" || after?.encoding === "base64";

/** The digests of contents to read: not of files that were only renamed or made executable. */
const digestsOf = (changed: readonly ChangedFile[], isMeant: (file: ChangedFile) => boolean): string[] => [
  ...new Set(
    changed
      .filter((file) => hasOtherBytes(file) && isMeant(file))
      .flatMap(({ before, after }) => [before, after])
      .flatMap((file) => (file === null ? [] : [file.sha256])),
  ),
];

const textsOf = (changed: readonly ChangedFile[]) => digestsOf(changed, (file) => !isBinary(file));
