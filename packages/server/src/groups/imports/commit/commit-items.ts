import { CreatePrompt, entryFiles } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { parse } from "@promptreg/core/wire";
import type { Sql } from "../../../database/sql.ts";
import type { ServerContext } from "../../../kernel/server-context.ts";
import { checkDraft, createDraft } from "../../prompts/index.ts";
import { type Held, lockHeld } from "../work.sql.ts";
import { completeImport, type ItemToCommit, type Outcome, recordItem, selectNextItem } from "./commit.sql.ts";

/** Makes drafts of the items that were chosen, each in a transaction of its own. What was made before is not made again. */
export async function commitItems(
  server: ServerContext,
  held: Held,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { sql } = server;
  for (let item = await selectNextItem(sql, held.id); item; item = await selectNextItem(sql, held.id)) {
    if (signal.aborted) return;
    if (!(await commitItem(server, held, item))) return;
  }
  await sql.begin(async (tx) => {
    if (await lockHeld(tx, held)) await completeImport(tx, held);
  });
}

/** Gives up the items that are left. */
export async function failItems({ sql }: ServerContext, held: Held, message: string): Promise<void> {
  await sql.begin(async (tx) => {
    if (!(await lockHeld(tx, held))) return;
    for (let item = await selectNextItem(tx, held.id); item; item = await selectNextItem(tx, held.id)) {
      const outcome = { error: { code: "internal_error", message } };
      await recordItem(tx, { importId: held.id, itemId: item.id, outcome });
    }
    await completeImport(tx, held);
  });
}

/** Makes a draft of an item, or records why it cannot be one; false if the import is not held any more. */
async function commitItem(server: ServerContext, held: Held, item: ItemToCommit): Promise<boolean> {
  const { sql } = server;
  try {
    const body = { slug: item.slug, ...parse(CreatePrompt, bodyOf(item)) };
    // Hashing must not keep locks.
    const content = await checkDraft(body);
    return await recorded(sql, { held, item }, async (tx) => {
      const { id } = await createDraft({ sql: tx, server }, { id: held.userId }, { body, content });
      return { promptId: id };
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const { code, message } = error;
    return recorded(sql, { held, item }, async () => ({ error: { code, message } }));
  }
}

const recorded = (
  sql: ServerContext["sql"],
  { held, item }: { held: Held; item: ItemToCommit },
  work: (tx: Sql) => Promise<Outcome>,
): Promise<boolean> =>
  sql.begin(async (tx) => {
    if (!(await lockHeld(tx, held))) return false;
    await recordItem(tx, { importId: held.id, itemId: item.id, outcome: await work(tx) });
    return true;
  });

/** The item as `prompts.create` takes it. Each kind has an entry file of its own. */
function bodyOf({ chosen, ...item }: ItemToCommit): CreatePrompt {
  const { kind = item.kind } = chosen;
  const { slug, title, summary, tags, license } = item;
  const files = item.files.map((file) =>
    file.path === entryFiles[item.kind] ? { ...file, path: entryFiles[kind] } : file,
  );
  return { slug, title, summary, tags, license, ...chosen, kind, files, publish: false };
}
