import { apiError } from "@promptreg/core/errors";
import { expect, test } from "vitest";
import { asApiError } from "./as-api-error.ts";

const fatal = { severity: "FATAL", code: "28P01" };

test.each<[what: string, error: unknown, code: string]>([
  ["a lost connection", { severity: "ERROR", code: "08006" }, "unavailable"],
  ["a deadlock", { severity: "ERROR", code: "40P01" }, "unavailable"],
  ["an end of the session", fatal, "unavailable"],
  ["a crash of the database", { ...fatal, severity: "PANIC" }, "unavailable"],
  ["the same that ends nothing", { ...fatal, severity: "ERROR" }, "internal_error"],
  ["a date out of range, 08 within its code", { severity: "ERROR", code: "22008" }, "internal_error"],
  ["a socket that was closed", { code: "ECONNRESET" }, "unavailable"],
  ["a socket of another kind", { code: "ERR_SOCKET_DGRAM_NOT_CONNECTED" }, "internal_error"],
  ["a full disk", { code: "ENOSPC" }, "unavailable"],
  ["a disk that cannot be written", { code: "EROFS" }, "unavailable"],
  ["a code that has this within", { code: "ERR_ENOSPC_X" }, "internal_error"],
  ["a number as code", { code: 57 }, "internal_error"],
  ["NUL in a text", { severity: "ERROR", code: "22021" }, "validation_failed"],
  ["nothing", null, "internal_error"],
  ["an error of the API", apiError("gone"), "gone"],
])("%s is answered as what it is", (_, error, code) => {
  expect(asApiError(error).code).toBe(code);
});
