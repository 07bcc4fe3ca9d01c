import type { Json } from "@promptreg/core";
import { contract, listOperations, mediaList } from "@promptreg/core/contract";
import { ApiError } from "@promptreg/core/errors";
import { requestIdOf } from "./errors.ts";
import type { Response } from "./web.ts";

/**
 * Checks the JSON of each response with the schemas of the contract: `createClient({ validate: validateAnswer })`. It loads
 * zod. Unknown fields are accepted, since a newer server may have more.
 * @throws {ApiError} `unexpected_response`, with each problem in `details`.
 */
export function validateAnswer(operation: string, response: Response, data: unknown): void {
  const issues = jsonOf(operation, response.status)?.schema.safeParse(data).error?.issues ?? [];
  const known = issues.filter(({ code }) => code !== "unrecognized_keys");
  if (known.length === 0) return;
  const details = known.map(({ path, code, message }) => ({
    path: path.map((key) => `/${String(key)}`).join(""),
    code,
    message,
  }));
  throw new ApiError({
    code: "unexpected_response",
    status: response.status,
    message: `The response of ${operation} does not match the contract: ${details[0]?.path} ${details[0]?.message}.`,
    details,
    requestId: requestIdOf(response),
  });
}

const operations = new Map(listOperations(contract).map(({ id, operation }) => [id, operation]));

const jsonOf = (operation: string, status: number) =>
  mediaList(operations.get(operation)?.results[status]).find(
    (medium): medium is Json<unknown> => medium.kind === "json",
  );
