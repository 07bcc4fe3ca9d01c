import { one } from "../../database/rows.ts";
import type { ComparableFile, MergedFiles, ThreeVersions } from "@promptreg/core/content";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** The prompt and the number of the base of `change_requests c`. */
const basePrompt = "case when c.base_source_n is null then c.target_id else c.source_id end";
const baseNumber = "coalesce(c.base_source_n, c.base_n)";

/**
 * The three versions of `change_requests c` for `prompts p`: its base, the latest of the target, and the proposed one. If every
 * version of the target is yanked, the base stands for it: then the proposal is merged as it is.
 */
const versions = piece`
  versions base join versions source on source.prompt_id = c.source_id and source.n = c.source_n
    join versions target on (target.prompt_id, target.n) =
      (case when p.latest_version is null then ${basePrompt} else p.id end, coalesce(p.latest_version, ${baseNumber}))`;
const isBase = `base.prompt_id = ${basePrompt} and base.n = ${baseNumber}`;

const filesOf = (side: string) =>
  `select '${side}' as side, * from version_files where version_id = ${side}.id`;

/**
 * The JSON of ThreeVersions: files by their path, mode and digest, without any content. Of those that are the same in all three,
 * which are most, only the paths are printed.
 */
const threeVersions = piece`(
  with file as materialized (
    select path, mode, sha256, size, array_agg(side) as sides
    from (${filesOf("base")} union all ${filesOf("target")} union all ${filesOf("source")}) file
    group by path, mode, sha256, size
  ), diverged as (
    select jsonb_object_agg(side, json_build_object('mode', mode, 'sha256', encode(sha256, 'hex'), 'size', size))
      || jsonb_build_object('path', path) as file
    from file, unnest(sides) side where cardinality(sides) < 3 group by path
  )
  select json_build_object('diverged', (select coalesce(json_agg(diverged.file), '[]') from diverged),
    'same', (
      select json_build_object('paths', coalesce(json_agg(path), '[]'), 'bytes', coalesce(sum(size), 0))
      from file where cardinality(sides) = 3)))`;

/**
 * The files that decide whether `change_requests c` can be merged. Null if it is not open, or if two of its versions are
 * equal: then the merge is one of the three, and no file has to be read.
 */
export const promisedFiles = piece`
  case when c.state = 'open' then (
    select ${threeVersions} from ${versions}
    where ${isBase} and base.content_hash <> source.content_hash and base.content_hash <> target.content_hash
      and source.content_hash <> target.content_hash
  ) end`;

/** The versions of a merge, and their files. */
export interface MergeSides {
  targetVersionId: string;
  sourceVersionId: string;
  three: ThreeVersions;
}

const mergeSides = piece`
  select target.id as "targetVersionId", source.id as "sourceVersionId", ${threeVersions} as three
  from ${versions} where ${isBase}`;

/** What the merge of a change request is made of. Needs the lock of its prompt. */
export async function selectMergeSides(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<MergeSides> {
  return one(sql<MergeSides[]>`
    select sides.* from change_requests c join prompts p on p.id = c.target_id
      cross join lateral (${mergeSides(sql)}) sides
    where c.target_id = ${promptId} and c.n = ${n}`);
}

/** The stored files of a merged version, as a statement: some of each side. */
export const mergedFiles = (
  sql: Sql,
  { targetVersionId, sourceVersionId }: Pick<MergeSides, "targetVersionId" | "sourceVersionId">,
  { fromTarget, fromSource }: Pick<MergedFiles, "fromTarget" | "fromSource">,
): Fragment => sql`
  select * from version_files where version_id = ${targetVersionId} and path = any (${fromTarget})
  union all select * from version_files where version_id = ${sourceVersionId} and path = any (${fromSource})`;

/** The files of a statement, without their content. */
export const selectFiles = (sql: Sql, files: Fragment) =>
  sql<ComparableFile[]>`select path, mode, encode(sha256, 'hex') as sha256, encoding from (${files}) f`;
