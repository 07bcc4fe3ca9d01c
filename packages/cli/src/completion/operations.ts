import { methods, operationAt, operationOf, operations, paramsOf } from "../api/index.ts";
import type { Candidate, Position } from "./position.ts";

/** What `promptreg api` takes: the ids of operations, the paths behind a method, then the names of their fields. */
export function operationCandidates({ given }: Position): readonly Candidate[] {
  const [first, second] = given;
  if (first === undefined) return operations.map(({ id, notes }) => [id, notes.summary]);
  const method = first.toUpperCase();
  if (methods.includes(method)) {
    if (second === undefined)
      return operations
        .filter((one) => one.method === method)
        .map(({ path, notes }) => [path, notes.summary]);
    return Object.entries(operationAt(method, second).operation.notes.query ?? {}).map(asField);
  }
  const { path, notes } = operationOf(first);
  const params = paramsOf(path).map((name) => [name, notes.params?.[name] ?? ""] as const);
  return [...params, ...Object.entries(notes.query ?? {})]
    .filter(([name]) => !given.some((pair) => pair.startsWith(`${name}=`)))
    .map(asField);
}

const asField = ([name, meaning]: Candidate): Candidate => [`${name}=`, meaning];
