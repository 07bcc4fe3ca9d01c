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
  const width = Math.max(0, ...[...names, ...Object.keys(query)].map(({ length }) => length));
  const lines = (names: readonly string[], notes: Readonly<Record<string, string>>) =>
    names.map((name) => `  ${name.padEnd(width)}  ${notes[name] ?? ""}`.trimEnd());
  const parts = [
    [`${bold(id)}  ${method} ${path}`, ...[summary, description].filter((text) => text !== undefined)],
    names.length > 0 ? [bold("Path (required):"), ...lines(names, params)] : [],
    Object.keys(query).length > 0 ? [bold("Query:"), ...lines(Object.keys(query), query)] : [],
    [
      bold("For example:"),
      `  promptreg api ${[id, ...names.map((name) => `${name}=…`), ...(hasBody ? ["--body body.json"] : [])].join(" ")}`,
      ...(isList
        ? [`  promptreg api ${[id, ...names.map((name) => `${name}=…`)].join(" ")} --paginate`]
        : []),
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
