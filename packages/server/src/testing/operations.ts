import { contract, listOperations, type OperationId } from "@promptreg/core";

const shapeOf = (route: string) => route.replace(/\{[^/]*/g, "~");

/** Words before parameters at the same place, as the server has it. */
const known = listOperations(contract)
  .map(({ id, operation: { route } }) => ({ id: id as OperationId, route }))
  .sort((a, b) => (shapeOf(a.route) < shapeOf(b.route) ? -1 : 1))
  .map(({ id, route }) => {
    const [method, path = ""] = route.split(" ");
    const pattern = path.replace(/\{\w+\*\}/g, ".+").replace(/\{\w+\}/g, "[^/]+");
    return { id, method, pattern: new RegExp(`^/api/v1${pattern}$`) };
  });

/** The operation that a request calls; null for none, such as a page. */
export function operationOf({ method, url }: Request): OperationId | null {
  const { pathname } = new URL(url);
  const called = method === "HEAD" ? "GET" : method;
  return known.find((one) => one.method === called && one.pattern.test(pathname))?.id ?? null;
}
