import { contract, type OperationId } from "../contract.ts";
import { listOperations, type Operation } from "../operations/operation.ts";
import type { Request } from "./web.ts";

const shapeOf = (route: string) => route.replace(/\{[^/]*/g, "~");

/** Literal segments come before parameters, as on the server. */
const known = listOperations(contract)
  .sort((a, b) => (shapeOf(a.operation.route) < shapeOf(b.operation.route) ? -1 : 1))
  .map(({ id, operation }) => {
    const [method, path = ""] = operation.route.split(" ");
    const pattern = path.replace(/\{(\w+)\*\}/g, "(?<$1>.+)").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    return { id: id as OperationId, operation, method, pattern: new RegExp(`^/api/v1${pattern}$`) };
  });

/** The operation of a request, with the parameters of its path. */
export interface CalledOperation {
  id: OperationId;
  operation: Operation;
  params: Record<string, string>;
}

/** The operation of a request; null if there is none, such as for a page. */
export function operationOf({ method, url }: Request): CalledOperation | null {
  const { pathname } = new URL(url);
  const called = method === "HEAD" ? "GET" : method;
  for (const { pattern, ...one } of known) {
    const match = one.method === called ? pattern.exec(pathname) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]);
    return { id: one.id, operation: one.operation, params: Object.fromEntries(params) };
  }
  return null;
}

/** Text that is no valid percent-encoding is kept. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
