import { errorCatalogue } from "@promptreg/core";
import { expect } from "vitest";
import type { Answer } from "../harness.ts";

export function expectError(answer: Answer, code: keyof typeof errorCatalogue): void {
  expect([answer.status, answer.json?.error.code]).toEqual([errorCatalogue[code].status, code]);
  expectEnvelope(answer);
}

/** The one shape of every error. */
export function expectEnvelope({ json, headers }: Answer): void {
  expect(Object.keys(json)).toEqual(["error"]);
  const { code, message, requestId, details = [], ...rest } = json.error;
  expect([rest, requestId]).toEqual([{}, headers.get("x-request-id")]);
  expect(errorCatalogue).toHaveProperty(code);
  expect(message).toMatch(/\S/);
  if (code === "validation_failed") expect(details).not.toEqual([]);
  for (const detail of details) {
    expect(detail).toEqual({
      path: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
    });
  }
}

/** Every field of a time, and every text that begins like one. */
export function expectTimes(value: unknown, name = ""): void {
  if (typeof value === "string" && (name.endsWith("At") || /^\d{4}-\d\d-\d\dT\d\d:/.test(value))) {
    expect(value).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) expectTimes(item, key);
  }
}
