import type { Input, OperationId, OperationOf } from "@promptreg/client";
import { methodOf } from "../requests/method-of.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { drawList, drawAnswer } from "../terminal/draw.ts";

/** How a list is shown. */
export interface ListView<Item = unknown> {
  /** The fields to show, in this order; chosen by the schema when absent. */
  columns?: readonly (keyof Item & string)[];
  /** What to say of an empty list. */
  none: string;
}

/** Lists what an operation answers, as a table; all of it where there is no limit. */
export async function list<Id extends OperationId>(
  { connect, output }: Context,
  id: Id,
  input: Input<OperationOf<Id>>,
  { columns, none, limit }: ListView<never> & { limit?: number | undefined },
): Promise<void> {
  const { query } = input as { query?: object };
  const paged = limit === undefined ? input : { ...input, query: { ...query, limit: Math.min(limit, 100) } };
  const all = methodOf(await connect(), id)(paged);
  const { items, hasMore } = await take(all, limit ?? Number.POSITIVE_INFINITY);
  const schema = output.isJson ? undefined : await schemaOf(id);
  output.result({ items, hasMore }, schema && (() => drawList(items, schema, output, columns)));
  if (output.isJson) return;
  if (items.length === 0) output.note(none);
  output.more(hasMore);
}

/** Calls an operation, and shows its answer as fields, or what is to be said instead. */
export async function call<Id extends OperationId>(
  { connect, output }: Context,
  id: Id,
  input: Input<OperationOf<Id>>,
  say?: () => string,
): Promise<void> {
  const data = await methodOf(await connect(), id)(input);
  const schema = output.isJson || say ? undefined : await schemaOf(id);
  // Some operations answer with nothing, and all do to a token that may not read.
  const draw = schema && data !== undefined ? () => drawAnswer(data, schema, output) : undefined;
  output.result(data ?? null, say ?? draw);
}

const schemaOf = async (id: string) => (await import("../requests/result-schema.ts")).resultSchema(id);
