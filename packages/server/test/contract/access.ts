// oxlint-disable vitest/no-conditional-tests, vitest/no-conditional-expect, vitest/expect-expect -- which tests an operation has, and what they expect, follows from what it declares
import { type FieldAccess, type Operation, mediaList, type Schema, type Scope } from "@promptreg/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeToken } from "../../src/kernel/accounts/token.ts";
import { operationScenes } from "../group-scenes.ts";
import type { Person } from "../harness.ts";
import { type Parts, valuesOf } from "../requests.ts";
import { expectError } from "./expect.ts";
import {
  castings,
  fresh,
  hasTarget,
  alike,
  inTurn,
  isWrite,
  make,
  request,
  send,
  shared,
  type Subject,
} from "./requests.ts";
import { whoIs } from "./targets.ts";

/** Who may call an operation, whatever its target. */
export function testAccess(subject: Subject): void {
  const { operation, id } = subject;
  const { auth, scope } = operation.access;
  const kinds = castings(operation)[0] ?? [];
  const parts = async () => request(subject, await shared(subject.stage, kinds));

  if (auth === "required") {
    test("needs a token", async () => {
      const answer = await send(subject, null, await parts());
      expectError(answer, "unauthenticated");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      const misspelt = await send(subject, null, await parts(), { query: { "misspelt-by-nobody": "1" } });
      expectError(misspelt, "unauthenticated");
    });
  }

  test("refuses a token that is malformed, unknown, expired or revoked", alike(subject, 0), async () => {
    const { stage, people } = subject;
    const { token } = stage.owner;
    const mistyped = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    const tokens = ["", "x", mistyped, makeToken(), people.expired.token, people.revoked.token];
    const headers = [...tokens.map((one) => `Bearer ${one}`), "Basic YTpi", token];
    const authorization = inTurn(subject, headers);
    expectError(await send(subject, null, await parts(), { headers: { authorization } }), "invalid_token");
  });

  if (scope !== "none") {
    test(`needs the scope ${scope}`, alike(subject, 1), async () => {
      const weak = await subject.stage.server.join("weak", { scopes: scopesWithout(scope) });
      const headers = { "x-request-id": "the-same-for-both" };
      const answer = await send(subject, weak, await parts(), { headers });
      if (auth === "required") expectError(answer, "token_scope");
      else {
        const { status, text } = await send(subject, null, await parts(), { headers });
        expect([answer.status, answer.text]).toEqual([status, text]);
      }
    });
  }

  if (isWrite(operation)) {
    test("is closed to a suspended account", async () => {
      expectError(await send(subject, subject.people.suspended, await parts()), "account_suspended");
    });
  }

  if (isWrite(operation) && scope === "write") {
    test("returns to a token without read nothing that it did not send", alike(subject, 2), async () => {
      const { people } = subject;
      const about = request(subject, await make(subject, kinds, "private"));
      const blind = hasTarget(operation) ? people.blindOwner : people.blind;
      const answer = await send(subject, blind, about);
      const { status, text } = answer;
      const isClosed = Object.values(operation.fields ?? {}).some((rule) => rule?.scope === "read");
      if (isClosed) expectError(answer, "token_scope");
      else if (operationScenes[id]?.isEchoing) expect(operation.results).toHaveProperty(`${status}`);
      else expect([status, text]).toEqual([204, ""]);
    });
  }

  for (const [field, rule] of Object.entries(operation.fields ?? {})) {
    if (rule) test(`lets only permitted callers send ${field}`, () => testField(subject, field, rule));
  }
}

const scopesWithout = (needed: Scope): Scope[] =>
  (["read", "write", "evals:write"] as const).filter(
    (scope) => scope !== needed && !(needed === "evals:write" && scope === "write"),
  );

async function testField(subject: Subject, field: string, rule: FieldAccess): Promise<void> {
  const { operation, stage } = subject;
  const { scope } = operation.access;
  // The value can still be one that does not fit the thing.
  const sendAs = async (who: Person | null, value: unknown = sampleOf(operation, field)) =>
    send(subject, who, withField(request(subject, await fresh(subject)), field, value));
  if (rule.callerFor !== undefined) expectError(await sendAs(null, rule.callerFor), "unauthenticated");
  if (rule.scope !== undefined && scope !== "none") {
    const scopes = ["read", "write", "evals:write"].filter((one) => one !== rule.scope);
    expectError(await sendAs(await stage.server.join(stage.owner.handle, { scopes })), "token_scope");
    expect((await sendAs(stage.owner)).status).not.toBe(403);
  }
  if (rule.allow === undefined) return;
  const kind = castings(operation)[0]?.[0];
  const { thing } = await stage.shared(kind!);
  // Alone: those who may send it need not be permitted to send the others.
  const sendAlone = async (who: Person) => {
    const parts = request(subject, await fresh(subject));
    return send(subject, who, { ...parts, body: { [field]: sampleOf(operation, field) } });
  };
  for (const role of rule.allow)
    expect([role, (await sendAlone(whoIs(role, subject, thing))).status]).not.toEqual([role, 403]);
  expectError(await sendAlone(stage.viewer), "forbidden");
}

/** A valid value of a field. */
function sampleOf(operation: Operation, field: string): unknown {
  const [medium] = mediaList(operation.body);
  const schema = medium?.kind === "json" ? medium.schema : operation.query;
  const { shape } = schema as unknown as { shape: Record<string, Schema<unknown>> };
  return fc.sample(valuesOf(shape[field], "least"), { numRuns: 1, seed: 1 })[0];
}

const withField = (parts: Parts, field: string, value: unknown): Parts =>
  parts.body === undefined
    ? { ...parts, query: { ...parts.query, [field]: value } }
    : { ...parts, body: { ...(parts.body as object), [field]: value } };
