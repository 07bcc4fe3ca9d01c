import { apiError } from "@promptreg/core/errors";

/**
 * Checks a new order: it names each thing that is there once, and nothing else.
 * @throws {ApiError} `order_mismatch`.
 */
export function checkOrder(ids: readonly string[], present: ReadonlySet<string>): void {
  const isExact = ids.length === present.size && new Set(ids).size === present.size;
  if (!isExact || !ids.every((id) => present.has(id))) throw apiError("order_mismatch");
}
