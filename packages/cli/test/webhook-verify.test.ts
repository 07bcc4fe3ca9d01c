import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleEnvelope } from "@promptreg/core";
import { signSync } from "@promptreg/core/webhooks/node";
import { afterAll, describe, expect, test } from "vitest";
import { cli } from "./registry.ts";

const home = await mkdtemp(join(tmpdir(), "promptreg-verify-"));
afterAll(() => rm(home, { recursive: true }));

const secret = "whsec_Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldCE";
const body = JSON.stringify(exampleEnvelope("prompt.label.moved"));
const at = "2026-11-20T09:30:05.000Z";
const header = signSync(body, secret, { now: Date.parse("2026-11-20T09:30:00Z") });

/** Verifies a captured request. */
async function verify(captured: string | Uint8Array, options: string[] = [], signature = header) {
  const file = join(home, "body.json");
  await writeFile(file, captured);
  return cli(["webhook", "verify", file, "--header", signature, "--at", at, ...options], {
    env: { PROMPTREG_WEBHOOK_SECRET: secret },
  });
}
const refusal = async (...given: Parameters<typeof verify>) => {
  const { exitCode, stdout, stderr } = await verify(...given);
  expect([exitCode, stdout]).toEqual([9, ""]);
  return stderr;
};

describe("webhook verify", () => {
  test("says of a genuine request what it is, and when it was signed", async () => {
    const { exitCode, stdout } = await verify(body);
    expect(stdout).toBe(
      `Genuine: prompt.label.moved (evt_01jd0000000000000000000000), ${body.length} bytes, signed 5 seconds before 2026-11-20T09:30:05Z, at 2026-11-20T09:30:00Z.\n`,
    );
    expect(exitCode).toBe(0);
    const inJson = await verify(body, ["--json"], `Service-Signature: ${header}`);
    expect(JSON.parse(inJson.stdout)).toEqual({
      valid: true,
      signedAt: "2026-11-20T09:30:00.000Z",
      eventId: "evt_01jd0000000000000000000000",
      event: "prompt.label.moved",
    });
  });

  test("reads the body or the secret from standard input, and not both", async () => {
    const args = ["webhook", "verify", "-", "--header", header, "--at", at];
    const env = { PROMPTREG_WEBHOOK_SECRET: secret };
    expect((await cli(args, { env, stdin: body })).exitCode).toBe(0);
    expect((await cli([...args, "--secret-file", "-"], { stdin: body })).exitCode).toBe(2);
  });

  test.each([
    ["a line break was added at the end", `${body}\n`, body],
    ["a line break was added at the end", "{\n}\n", "{\n}"],
    ["a line break at the end was lost", body, `${body}\n`],
    ["a byte order mark was added at the start", `\ufeff${body}`, body],
    ["its line breaks became CRLF", "{\r\n}", "{\n}"],
    ["it was parsed and printed again", JSON.stringify(JSON.parse(body), null, 2), body],
  ])("knows that %s", async (change, captured, original) => {
    const now = Date.parse("2026-11-20T09:30:00Z");
    expect(await refusal(captured, [], signSync(original, secret, { now }))).toBe(
      `error: The secret is right, but the body was changed: ${change}. Verify the exact bytes that were received.\n`,
    );
  });

  test("says that the secret or the body is another", async () => {
    const told = "error: The signature does not match this secret and body";
    expect(await refusal(body.replace("12", "13"))).toContain(told);
    expect(await refusal(body, [], signSync(body, `${secret}x`))).toContain(told);
    expect(await refusal(new Uint8Array([0xff, 0xfe]))).toContain(told);
  });

  test("says how old it is, and whose clock may be wrong", async () => {
    expect(await refusal(body, ["--at", "2026-11-20T12:30:10Z"])).toBe(
      "error: The secret and the body are right, but it was signed 3 hours before 2026-11-20T12:30:10Z, at 2026-11-20T09:30:00Z. 300 seconds are allowed. The request was delayed or replayed, or it was captured earlier: then give its time with --at.\n",
    );
    expect(await refusal(body, ["--at", "2026-11-20T09:20Z"])).toContain(
      "signed 10 minutes after 2026-11-20T09:20:00Z, at 2026-11-20T09:30:00Z. 300 seconds are allowed. The clock of the sender is ahead",
    );
    expect((await verify(body, ["--at", "2026-11-20T12:30:10Z", "--tolerance", "20000"])).exitCode).toBe(0);
  });

  test("allows a signature that is as old as that, or as early, and none by a second more", async () => {
    const end = async (time: string) => (await verify(body, ["--at", `2026-11-20T${time}Z`])).exitCode;
    const ends = await Promise.all(["09:24:59", "09:25:00", "09:35:00", "09:35:01"].map(end));
    expect(ends).toEqual([9, 0, 0, 9]);
    const ages: [time: string, age: string][] = [
      ["20T09:30:00", "0 seconds before"],
      ["20T09:31:59", "119 seconds before"],
      ["20T09:32:00", "2 minutes before"],
      ["20T11:30:00", "2 hours before"],
      ["22T09:30:00", "2 days before"],
    ];
    for (const [time, age] of ages)
      expect((await verify(body, ["--at", `2026-11-${time}Z`, "--tolerance", "200000"])).stdout).toContain(
        age,
      );
  });

  test("says what is wrong with a header, and that a signed body is no event", async () => {
    const form = "Service-Signature must be t=<seconds>,v1=<64 hex digits>.";
    for (const malformed of ["nonsense", "v1=00", "t=1,t=2,v1=00"])
      expect(await refusal(body, [], malformed)).toBe(`error: ${form}\n`);
    expect(await refusal(body, [], " ")).toContain("Service-Signature");
    expect(await refusal("[]", [], signSync("[]", secret))).toContain("The body is not a JSON event.");
  });

  test("never shows the secret", async () => {
    for (const options of [[], ["--debug"], ["--json"]]) {
      const { stdout, stderr } = await verify(`${body} `, options);
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});
