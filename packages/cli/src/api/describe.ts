// Loaded for help alone: the contract brings zod along.
import { contract, listOperations, mediaList, type Schema } from "@promptreg/core";
import type { Output } from "../terminal/output.ts";
import { type Operation, paramsOf } from "./operations.ts";

/** Tells what an operation does and needs. The fields of its body stand in the reference, which the server has. */
export function describe(
  { id, method, path, notes, hasBody, isList }: Operation,
  url: string,
  output: Output,
) {
  const { bold } = output.colors;
  const { summary, description, params = {}, query = {} } = notes;
  const names = paramsOf(path);
  const needed = requiredQuery(id);
  const optional = Object.keys(query).filter((name) => !needed.includes(name));
  const width = Math.max(0, ...[...names, ...Object.keys(query)].map((name) => typed(name).length));
  const section = (title: string, names: readonly string[], notes: Readonly<Record<string, string>>) =>
    names.length === 0
      ? []
      : [
          bold(title),
          ...names.map((name) => `  ${typed(name).padEnd(width)}  ${notes[name] ?? ""}`.trimEnd()),
        ];
  const call = ["  promptreg api", id, ...[...names, ...needed].map(typed)].join(" ");
  const parts = [
    [`${bold(id)}  ${method} ${path}`, ...[summary, description].filter((text) => text !== undefined)],
    section("Path (required):", names, params),
    section("Query (required):", needed, query),
    section("Query:", optional, query),
    [
      bold("For example:"),
      `${call}${hasBody ? bodyExample(id) : ""}`,
      ...(isList ? [`${call} --paginate`] : []),
    ],
    [`${hasBody ? "The fields of the body and all" : "All"} other details: ${url}/reference#${id}`],
  ];
  output.result({ id, method, path, ...notes }, () =>
    parts
      .filter((part) => part.length > 0)
      .map((part) => part.join("\n"))
      .join("\n\n"),
  );
}

/** How a field is typed after the operation. */
const typed = (name: string) => `${name}=…`;

/** How a body is given: one that is no JSON needs its type. */
function bodyExample(id: string): string {
  const body = listOperations(contract).find((one) => one.id === id)?.operation.body;
  const [first] = mediaList(body);
  return first?.kind === "text" ? ` --body file --header content-type=${first.type}` : " --body body.json";
}

/** The fields of its query without which an operation is refused. */
function requiredQuery(id: string): string[] {
  const found = listOperations(contract).find((one) => one.id === id);
  const { shape = {} } = Object(found?.operation.query) as { shape?: Record<string, Schema<unknown>> };
  return Object.keys(shape).filter((name) => !shape[name]?.safeParse(undefined).success);
}
