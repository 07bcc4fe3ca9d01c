import { createHash } from "node:crypto";

/** A call that creates something, as the client makes it. */
interface Creation<Made> {
  withResponse(): Promise<{ data: Made; response: Response }>;
}

/**
 * Creates something for a file. If the answer to the same request was lost, it is not created again: the registry remembers for a day what
 * the file led to. What was deleted since is created anew.
 * @param of what the request is made of: the place of the file, and what it says.
 * @param find reads what there is now; null if it was deleted.
 */
export async function createOnce<Made>(
  of: unknown,
  create: (options: { idempotencyKey?: string }) => Creation<Made>,
  find: (made: NonNullable<Made>) => Promise<Made | null>,
): Promise<Made> {
  const idempotencyKey = createHash("sha256").update(JSON.stringify(of)).digest("hex");
  const { data, response } = await create({ idempotencyKey }).withResponse();
  // A token that may not read gets no answer.
  if (data === undefined || data === null) return data;
  if (response.headers.get("idempotency-replayed") === null) return data;
  return (await find(data)) ?? (await create({}).withResponse()).data;
}
