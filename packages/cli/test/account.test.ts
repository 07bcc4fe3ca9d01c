import { afterAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());

test("whoami tells the account behind the token", async () => {
  expect(await registry.cli(["whoami"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^ada /),
  });
});
