import { cell, countOf } from "../terminal/text.ts";
import { receiveSync, verifySync, WebhookVerificationError } from "@promptreg/core/webhooks/node";
import type { Context } from "../settings/context.ts";
import { CheckError, UsageError } from "../errors.ts";
import { readBytes } from "../terminal/read-input.ts";
import { readSecret } from "./secret.ts";
import { toSecond } from "./texts.ts";

interface VerifyOptions {
  header: string;
  secretFile?: string;
  tolerance: number;
  at?: string;
}

/** The signature is judged apart from the time, to tell which of them it is. */
const anyAge = { toleranceSeconds: 1e12 };

export async function verify(
  context: Context,
  file: string,
  { secretFile, at, tolerance, ...options }: VerifyOptions,
): Promise<void> {
  if (file === "-" && secretFile === "-") {
    throw new UsageError(
      "Standard input cannot be both the body and the secret. Use a file for one of them.",
    );
  }
  // As people copy it, with its name.
  const header = options.header.replace(/^\s*service-signature\s*:/i, "");
  const secret = await readSecret(context, secretFile);
  const body = await readBytes(file, context.stdin);
  try {
    const { id, event } = receiveSync(body, header, secret, anyAge);
    const signedAt = new Date(Number(/t=(\d+)/.exec(header)?.[1]) * 1000);
    const time = checkTime(signedAt, at === undefined ? new Date() : new Date(at), tolerance);
    context.output.result(
      { valid: true, signedAt: signedAt.toISOString(), eventId: id, event },
      () => `Genuine: ${cell(event)} (${cell(id)}), ${countOf(body.length, "byte")}, signed ${time}.`,
    );
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const isMismatch = error.code === "signature_mismatch";
    throw new CheckError(isMismatch ? explainMismatch(body, header, secret) : error.message);
  }
}

function explainMismatch(body: Uint8Array, header: string, secret: string): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  // What commonly becomes of a body before it is verified, and how it was before.
  const changes: Record<string, () => string> = {
    "a line break was added at the end": () => text.replace(/\r?\n$/, ""),
    "a line break at the end was lost": () => `${text}\n`,
    "a byte order mark was added at the start": () => text.replace(/^\ufeff/, ""),
    "its line breaks became CRLF": () => text.replaceAll("\r\n", "\n"),
    "it was parsed and printed again": () => JSON.stringify(JSON.parse(text)),
  };
  for (const [change, original] of Object.entries(changes)) {
    try {
      verifySync(original(), header, secret, anyAge);
      return `The secret is right, but the body was changed: ${change}. Verify the exact bytes that were received.`;
    } catch {
      // So it was something else.
    }
  }
  return "The signature does not match this secret and body. Either the secret is of another webhook or was rotated, or the body was changed.";
}

/** @throws {CheckError} when the signature is too old, or from the future. @returns how old it is. */
function checkTime(signedAt: Date, now: Date, tolerance: number): string {
  const seconds = Math.floor(now.getTime() / 1000) - signedAt.getTime() / 1000;
  const direction = seconds < 0 ? "after" : "before";
  const age = `${durationOf(Math.abs(seconds))} ${direction} ${toSecond(now.toISOString())}, at ${toSecond(signedAt.toISOString())}`;
  if (Math.abs(seconds) <= tolerance) return age;
  const why =
    seconds < 0
      ? "The clock of the sender is ahead, or this clock is behind"
      : "The request was delayed or replayed, or it was captured earlier: then give its time with --at";
  throw new CheckError(
    `The secret and the body are right, but it was signed ${age}. ${tolerance} seconds are allowed. ${why}.`,
  );
}

const units = { days: 86_400, hours: 3_600, minutes: 60 };

function durationOf(seconds: number): string {
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= 2 * size) ?? ["seconds", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
