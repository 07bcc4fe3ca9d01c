/** Why `fetch` got no answer from an address of the operator's, after "it". It quotes nothing of the request. */
export function whyUnanswered(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === "TimeoutError") return `did not answer within ${timeoutMs / 1_000} seconds`;
  const { code = "no connection" } = cause ?? {};
  return `could not be asked (${String(code)})`;
}
