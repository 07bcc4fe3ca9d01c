import { limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { insertChunk } from "./chunks.sql.ts";
import { countOpen, insertImport, type NewImport, selectImport, wakeImports } from "./imports.sql.ts";
import { type Described, describeSource } from "./sources/describe.ts";

/**
 * Writes an import and gives its id.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function writeImport(sql: Sql, wanted: NewImport): Promise<string> {
  await lockAccount(sql, wanted.userId);
  if ((await countOpen(sql, wanted.userId)) >= limits.openImports) {
    throw apiError("quota_exceeded", {
      message: `You have ${limits.openImports} imports that are not finished. Commit or cancel one first.`,
    });
  }
  return insertImport(sql, wanted);
}

export const create: HandlerWith<"imports.create", { prepared: Described }> = {
  prepare: ({ body, server }) => describeSource(body.source, server),

  async handle({ caller, prepared: { source, sent }, sql, server }) {
    const id = await writeImport(sql, { userId: caller.id, source });
    if (sent) await insertChunk(sql, { importId: id, start: 0, bytes: sent });
    await wakeImports(sql, server);
    return {
      status: 202,
      json: await selectImport(sql, id),
      location: `${server.publicUrl}/api/v1/imports/${id}`,
    };
  },
};
