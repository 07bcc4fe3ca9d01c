import type { JsonText, Version } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { askingWith } from "../../kernel/accounts/caller.ts";
import type { Loaded } from "../../kernel/target.ts";
import type { ResolvedRow, Timely, Wanted } from "./get.sql.ts";
import { hasAddress, promptColumns } from "./target.ts";
import { isKnownToCaller } from "./visibility.sql.ts";
import { type FileDetail, versionTag, versionWith } from "./version.sql.ts";

/** Who asks for which version of which prompt. */
export interface Question extends Wanted {
  credential: Buffer | null;
  owner: string;
  slug: string;
}

type Column = readonly (string | number | null)[];
const columnOf = (questions: readonly Question[], name: keyof Wanted): Column =>
  questions.map((question) => question[name] ?? null);

/** Several questions at once. As for one alone, a caller and a prompt are found by their keys, whatever statistics there are. */
const resolved = piece<readonly Question[]>`
  select asking.caller, found.*
  from unnest(
    ${(_, all) => all.map(({ credential }) => credential?.toString("hex") ?? null)}::text[],
    ${(_, all) => all.map(({ owner }) => owner)}::text[],
    ${(_, all) => all.map(({ slug }) => slug)}::text[],
    ${(_, all) => columnOf(all, "version")}::int[],
    ${(_, all) => columnOf(all, "label")}::text[],
    ${(_, all) => columnOf(all, "at")}::timestamptz[]
  ) with ordinality question (credential, owner, slug, version, label, at, nth)
  cross join lateral ${askingWith("decode(question.credential, 'hex')")}
  left join lateral (
    select ${promptColumns}, v.id as "versionId", ${versionTag} as "versionTag", v.yanked_at is not null as "isYanked",
      question.at > clock() as "isAhead"
    from prompts p join users o on o.id = p.owner_id
      left join lateral (
        select id, edition, yanked_at from versions where prompt_id = p.id and n = case
          when question.version is not null then question.version
          when coalesce(question.label, 'latest') = 'latest' then p.latest_version
          when question.at is null then (select l.version_n from labels l where l.prompt_id = p.id and l.name = question.label)
          else (
            select m.to_n from label_moves m where m.prompt_id = p.id and m.name = question.label and m.at <= question.at
            order by m.at desc, m.seq desc limit 1)
        end offset 0
      ) v on true
    where ${hasAddress("question.owner", "question.slug")} and ${isKnownToCaller}
    offset 0
  ) found on true
  order by question.nth`;

/** The callers, prompts and versions of questions, in their order. */
export async function resolveAll(
  sql: Sql,
  questions: readonly Question[],
): Promise<Loaded<ResolvedRow & Timely>[]> {
  const rows = await (resolved(sql, questions) as unknown as Promise<
    (ResolvedRow & Timely & { caller: Loaded<null>["caller"] })[]
  >);
  return rows.map((row) => ({ caller: row.caller, target: row.id === null ? null : row }));
}

/** Which version, and how much of its files. */
export interface TextKey {
  versionId: string;
  versionTag: string;
  files: FileDetail;
}

/** The JSON of versions, in the order of their keys; null for one that is gone. */
export async function printVersions(
  sql: Sql,
  keys: readonly TextKey[],
): Promise<(JsonText<Version> | null)[]> {
  const rows = await sql<{ text: JsonText<Version> | null }[]>`
    select (
      select case wanted.files when 'full' then ${versionWith.full(sql)} else ${versionWith.meta(sql)} end::text
      from versions v where v.id = wanted.id
    ) as text
    from unnest(${keys.map(({ versionId }) => versionId)}::text[], ${keys.map(({ files }) => files)}::text[])
      with ordinality wanted (id, files, nth)
    order by wanted.nth`;
  return rows.map(({ text }) => text);
}
