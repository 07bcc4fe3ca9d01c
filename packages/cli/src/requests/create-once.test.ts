import { expect, test } from "vitest";
import { createOnce } from "./create-once.ts";

/** Creates once, where the registry answers so, and says what it was asked. */
async function made(data: string | null | undefined, isReplayed: boolean, found: string | null) {
  const asked: string[] = [];
  const result = await createOnce<string | null | undefined>(
    ["file", 1],
    ({ idempotencyKey }) => ({
      withResponse: async () => {
        asked.push(idempotencyKey === undefined ? "anew" : "once");
        const headers: Record<string, string> = isReplayed ? { "idempotency-replayed": "true" } : {};
        return {
          data: idempotencyKey === undefined ? "new" : data,
          response: new Response(null, { headers }),
        };
      },
    }),
    async (one) => {
      asked.push(`look for ${one}`);
      return found;
    },
  );
  return { result, asked };
}

test.each([
  ["what is created", "a", false, null, "a", ["once"]],
  ["what was created before, as it is now", "a", true, "b", "b", ["once", "look for a"]],
  ["what was created before and deleted, anew", "a", true, null, "new", ["once", "look for a", "anew"]],
  ["nothing of what a token may not read", undefined, true, "b", undefined, ["once"]],
  ["nothing of what is not shown", null, true, "b", null, ["once"]],
] as const)("gives %s", async (_, data, isReplayed, found, result, asked) => {
  expect(await made(data, isReplayed, found)).toEqual({ result, asked });
});
