import { setImmediate as nextTurn } from "node:timers/promises";
import { CaseReader, type ReadCases } from "@promptreg/core/evals";

/** How long a file may keep other requests waiting. */
const turnMs = 5;

/**
 * Reads the cases of a file while it is received, and what is wrong in it.
 * @throws {ApiError} `payload_too_large` for more cases than a dataset can have.
 */
export async function readCases(body: AsyncIterable<string>, type: string): Promise<ReadCases> {
  const reader = new CaseReader(type);
  let since = performance.now();
  const take = async (piece: string, options?: { isLast: boolean }) => {
    for (const _ of reader.add(piece, options)) {
      if (performance.now() - since <= turnMs) continue;
      await nextTurn();
      since = performance.now();
    }
  };
  // What comes after the end is received all the same: its bytes count in the digest of the request.
  for await (const piece of body) await take(piece);
  await take("", { isLast: true });
  return reader.read;
}
