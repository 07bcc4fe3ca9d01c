import { canMove, errorsOf, mediaList } from "@promptreg/core";
import type { ApiError } from "@promptreg/core/errors";
import type { Mounted } from "../mounted.ts";

/** Throws if a response is not what its operation declares. For tests only: it takes time. */
export async function inspectResponse({ id, operation }: Mounted, response: Response): Promise<void> {
  if (response.status === 304) return;
  if ([301, 308].includes(response.status) && canMove(operation)) return;
  const media = mediaList(operation.results[response.status]);
  if (media.length === 0) throw new Error(`${id} answered ${response.status}, which it does not declare`);
  const type = response.headers.get("content-type")?.split(";")[0];
  const medium = media.find((candidate) =>
    "type" in candidate ? candidate.type === type || candidate.type === "*/*" : type === undefined,
  );
  if (medium === undefined) throw new Error(`${id} answered ${type}, which it does not declare`);
  if (medium.kind !== "json") return;
  const parsed = medium.schema.safeParse(await response.clone().json());
  if (!parsed.success) throw new Error(`${id} answered outside its schema: ${parsed.error.message}`);
}

/** Throws if an error code is neither declared by its operation nor implied by it. */
export function inspectError({ id, operation }: Mounted, error: ApiError, cause: unknown): void {
  const declared: readonly string[] = errorsOf(operation);
  if (error.code === "internal_error") throw cause;
  if (!declared.includes(error.code))
    throw new Error(`${id} answered ${error.code}, which it does not declare`);
}
