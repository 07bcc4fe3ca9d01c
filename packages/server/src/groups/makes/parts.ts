import { limits } from "@promptreg/core";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { touchMake } from "./makes.sql.ts";
import { insertPart, updatePart } from "./parts.sql.ts";
import { added, reordering, requireRoom, shownThing, removeThing, requireThing } from "./things.ts";

const table = "make_parts";

export const add: HandlerWith<"makes.parts.add", {}> = {
  async handle({ body, caller, target: make, sql, server }) {
    await requireRoom(sql, table, { makeId: make.id, most: limits.partsPerMake, what: "parts" });
    const id = await insertPart(sql, make.id, body);
    return added(sql, table, { make, id, caller, server });
  },
};

export const update: Handler<"makes.parts.update"> = async ({
  params: { id },
  body,
  caller,
  target: make,
  sql,
  server,
}) => {
  await requireThing(sql, table, { make, id });
  if (await updatePart(sql, id, body)) await touchMake(sql, make.id);
  const json = await shownThing(sql, table, { make, id, caller, server });
  return { status: 200, json };
};

const remove: Handler<"makes.parts.delete"> = async ({ params: { id }, target: make, sql }) => {
  await removeThing(sql, table, { make, id });
  return { status: 204 };
};
export { remove as delete };

export const reorder: HandlerWith<"makes.parts.reorder", {}> = reordering(table);
