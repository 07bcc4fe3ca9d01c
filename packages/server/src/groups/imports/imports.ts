import type { Import, ImportStatus, ImportWithItems, JsonText } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import { endImport, selectImport, selectImports } from "./imports.sql.ts";
import { selectItems } from "./items.sql.ts";

/** The error about an import that is in another state than an operation needs. */
export const otherState = (status: ImportStatus, what: string) =>
  apiError("import_state", {
    message: `This import is ${status} and ${what}.`,
    details: [{ path: "/status", code: status, message: `It is ${status}.` }],
  });

export const list: Handler<"imports.list"> = async ({ query: { status }, caller, page, sql }) =>
  page.reply<Import>(await selectImports(sql, { userId: caller.id, status, page }));

export const get: Handler<"imports.get"> = async ({ target: { id, revision }, page, sql }) => {
  const [own, items] = await Promise.all([selectImport(sql, id), selectItems(sql, { importId: id, page })]);
  const { json } = page.reply(items, { goesOn: goesOn(items, page) });
  return { status: 200, json: `${own.slice(0, -1)},${json.slice(1)}` as JsonText<ImportWithItems>, revision };
};

const cancellable = new Set<ImportStatus>(["uploading", "queued", "detecting", "ready"]);

export const cancel: Handler<"imports.cancel"> = async ({ target: { id, status }, sql }) => {
  if (cancellable.has(status)) await endImport(sql, id, { status: "cancelled" });
  else if (status !== "cancelled") throw otherState(status, "cannot be cancelled");
  return { status: 200, json: await selectImport(sql, id) };
};
