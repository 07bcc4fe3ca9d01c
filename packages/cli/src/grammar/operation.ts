import type { Input, OperationId, OperationOf, Page, Result } from "@promptreg/client";
import type { Output } from "../terminal/output.ts";
import type { ListView } from "./call.ts";
import type { Work } from "./grammar.ts";

/** What one item of a list holds. */
type ItemOf<Id extends OperationId> = Result<OperationOf<Id>> extends Page<infer Item> ? Item : never;

/**
 * A command that lists what an operation answers, as a table. Where the command has `--limit`, it takes that many.
 * @param inputOf makes the operation's input of the arguments and options.
 * @param view.none can depend on these too.
 */
export const listing =
  <const Id extends OperationId, Given extends unknown[]>(
    id: Id,
    inputOf: (...given: Given) => Input<OperationOf<Id>>,
    {
      columns,
      none,
    }: Pick<ListView<ItemOf<Id>>, "columns"> & { none: string | ((...given: Given) => string) },
  ) =>
  async (): Promise<Work<Given>> => {
    const { list } = await import("./call.ts");
    return (context, ...given) => {
      const { limit } = Object(given.at(-1)) as { limit?: number };
      const said = typeof none === "string" ? none : none(...given);
      return list(context, id, inputOf(...given), { columns, none: said, limit });
    };
  };

/**
 * A command that calls an operation, and shows its answer as fields.
 * @param say gives a sentence to show instead.
 */
export const calling =
  <const Id extends OperationId, Given extends unknown[]>(
    id: Id,
    inputOf: (...given: Given) => Input<OperationOf<Id>>,
    say?: (output: Output, ...given: Given) => string,
  ) =>
  async (): Promise<Work<Given>> => {
    const { call } = await import("./call.ts");
    return (context, ...given) =>
      call(context, id, inputOf(...given), say && (() => say(context.output, ...given)));
  };
