import { contract, type OperationId } from "../contract.ts";
import { listOperations, type Operation } from "../operation.ts";
import type { Request } from "./web.ts";

const shapeOf = (route: string) => route.replace(/\{[^/]*/g, "~");

/** Words before parameters at the same place, as the server has it. */
const known = listOperations(contract)
  .sort((a, b) => (shapeOf(a.operation.route) < shapeOf(b.operation.route) ? -1 : 1))
  .map(({ id, operation }) => {
    const [method, path = ""] = operation.route.split(" ");
    const pattern = path.replace(/\{(\w+)\*\}/g, "(?<$1>.+)").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    return { id: id as OperationId, operation, method, pattern: new RegExp(`^/api/v1${pattern}$`) };
  });

/** An operation that a request calls, with what stands in its path. */
export interface CalledOperation {
  id: OperationId;
  operation: Operation;
  params: Record<string, string>;
}

/** The operation that a request calls; null for none, such as a page. */
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

/** What is no percent-encoding stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
