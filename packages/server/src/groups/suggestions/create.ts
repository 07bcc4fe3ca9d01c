import {
  type CreateSuggestions,
  type MadeSuggestions,
  type SuggestedTexts,
  suggestedFields,
  suggestedSchemas,
} from "@promptreg/core";
import { entryFiles } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import { parseRef } from "@promptreg/core/refs";
import { findSecrets } from "@promptreg/core/secrets";
import { type Content, type Described, readDescribed, spellings } from "@promptreg/core/suggestions";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { checkContent, selectFreeSlug, selectSide, selectTexts } from "../prompts/index.ts";
import { type OwnPrompt, selectOwn, selectTagCounts } from "./described.sql.ts";

/** A model takes seconds: all is done before the transaction, which then only says whether the caller may know. */
export const create: HandlerWith<"suggestions.create", { prepared: MadeSuggestions | null }> = {
  async prepare({ body, caller, server, charge, closed }) {
    if (server.suggestions.length === 0) throw apiError("suggestions_unavailable");
    const { sql } = server;
    const own = body.prompt === undefined ? null : await selectOwn(sql, parseRef(body.prompt), caller.id);
    if (own === null && body.prompt !== undefined) return null;
    const described = await readBody(sql, body, own);
    charge();
    const made = await ask(server, described, closed);
    return { ...made, suggestions: await withFreeSlug(sql, made.suggestions, { described, caller }) };
  },

  // It changes nothing of the prompt.
  lock: "share",

  async handle({ prepared }) {
    if (prepared === null) throw apiError("not_found");
    return { status: 200, json: prepared };
  },
};

/** What is to be described: the files sent, else the draft, else the latest version; and what that would replace. */
async function readBody(
  sql: Sql,
  { files, kind, fields }: CreateSuggestions,
  own: OwnPrompt | null,
): Promise<Described> {
  const entry = entryFiles[own?.kind ?? kind ?? "text"];
  const about = { kind: own?.kind ?? kind ?? "text", slug: own?.slug ?? null, fields };
  const n = own?.latestVersion ?? null;
  const before = own === null || n === null ? null : await versionOf(sql, own.id, n, entry);
  const inputs = files ?? own?.draft ?? null;
  if (inputs === null) return withoutSecrets({ ...about, before, now: before ?? { files: [], entry: "" } });
  const content = await checkContent(inputs);
  const text = content.files.find(({ path, encoding }) => path === entry && encoding === "utf8");
  return withoutSecrets({
    ...about,
    before,
    now: { files: content.files, entry: text === undefined ? "" : new TextDecoder().decode(text.bytes) },
  });
}

/** Leaves out the lines that have secrets: what is suggested is meant to be read by others. */
async function withoutSecrets(described: Omit<Described, "hasSecret">): Promise<Described> {
  let hasSecret = false;
  const clean = async (text: string): Promise<string> => {
    const found = new Set((await findSecrets(text)).map(({ line }) => line));
    if (found.size === 0) return text;
    hasSecret = true;
    return text
      .split("\n")
      .filter((_, at) => !found.has(at + 1))
      .join("\n");
  };
  const { now, before } = described;
  await clean(now.files.map(({ path }) => path).join("\n"));
  return {
    ...described,
    now: { ...now, entry: await clean(now.entry) },
    before: before && { ...before, entry: await clean(before.entry) },
    hasSecret,
  };
}

async function versionOf(sql: Sql, promptId: string, n: number, entry: string): Promise<Content> {
  const { files = [] } = (await selectSide(sql, { promptId, n })) ?? {};
  const main = files.find(({ path, encoding }) => path === entry && encoding === "utf8");
  const texts = await selectTexts(sql, main === undefined ? [] : [main.sha256]);
  return { files, entry: texts.get(main?.sha256 ?? "") ?? "" };
}

/** Asks one after the other until one has something to say. */
async function ask(
  { sql, suggestions: providers, failures }: ServerContext,
  described: Described,
  closed: AbortSignal,
): Promise<MadeSuggestions> {
  const words = described.fields.includes("tags") ? readDescribed(described).candidates : [];
  const tagCounts = await selectTagCounts(
    sql,
    words.flatMap(({ tag }) => spellings(tag)),
  );
  for (const one of providers) {
    const { provider, model } = one;
    try {
      const made = await one.suggest({ ...described, tagCounts }, closed);
      const suggestions = fitting(made?.suggestions ?? {}, described);
      if (made !== null && (Object.keys(suggestions).length > 0 || one === providers.at(-1)))
        return { ...made, suggestions, provider, model };
    } catch (error) {
      if (!closed.aborted) failures.report(error, { operation: "suggestions.create" });
    }
  }
  throw apiError("suggestions_unavailable");
}

/** What was asked for and is valid, each field by itself. */
const fitting = (made: SuggestedTexts, { fields }: Described): SuggestedTexts =>
  Object.fromEntries(
    suggestedFields.flatMap((field) => {
      if (!fields.includes(field) || made[field] === undefined) return [];
      const { data } = suggestedSchemas[field].safeParse(made[field]);
      return data === undefined ? [] : [[field, data]];
    }),
  );

/** A slug of a prompt that is none yet is one that is free. */
async function withFreeSlug(
  sql: Sql,
  suggestions: SuggestedTexts,
  { described, caller }: { described: Described; caller: Caller },
): Promise<SuggestedTexts> {
  const { slug } = suggestions;
  if (slug === undefined || slug === described.slug) return suggestions;
  return { ...suggestions, slug: await selectFreeSlug(sql, { ownerId: caller.id, slug }) };
}
