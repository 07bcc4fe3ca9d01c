// oxlint-disable vitest/no-conditional-tests -- which tests an operation has follows from what it declares
import { type About, aboutsOf, type Kind, targetKinds } from "@promptreg/core";
import { expect, test } from "vitest";
import { kindScenes, operationScenes } from "../group-scenes.ts";
import type { Person } from "../harness.ts";
import type { Thing } from "../scenes.ts";
import type { Staged } from "../scenes.ts";
import { expectError } from "./expect.ts";
import {
  castings,
  alike,
  inTurn,
  isWrite,
  make,
  methodOf,
  pathOf,
  request,
  send,
  shared,
  type Subject,
} from "./requests.ts";

/** Who may act on the targets of an operation, for each possible kind. */
export function testTargets(subject: Subject): void {
  const { operation } = subject;
  for (const kinds of castings(operation)) {
    for (const [place, about] of aboutsOf(operation.access).entries()) {
      const kind = kinds[place]!;
      testTarget(subject, { kinds, place, about, kind });
    }
  }
  if (operation.access.on !== undefined && operation.access.from === undefined) testAddress(subject);
}

/** One target of an operation. */
interface Aim {
  kinds: readonly Kind[];
  place: number;
  about: About;
  kind: Kind;
}

function testTarget(subject: Subject, { kinds, place, about, kind }: Aim): void {
  /** A request about this in its place, and about the rest as everybody sees it. */
  const parts = async (staged: Promise<Staged>) =>
    request(subject, (await shared(subject.stage, kinds)).with(place, await staged));

  /** Somebody who does not own the thing in this place. Of a further target it is who may act on the first one. */
  const asking = () =>
    place === 0
      ? { who: subject.stage.viewer, theirs: subject.stage }
      : { who: subject.stage.owner, theirs: subject.elsewhere };

  if (!kindScenes[kind]?.isAlwaysVisible) {
    test(`reports a hidden ${kind} as missing`, async () => {
      const { who, theirs } = asking();
      const others: (Staged | undefined)[] = await shared(subject.stage, kinds);
      const asked = [await parts(theirs.shared(kind, "private"))];
      // Without it, an optional one is not named at all.
      if (!about.from?.endsWith("?")) asked.push(request(subject, others.with(place, undefined)));
      const answers = [];
      for (const one of asked) answers.push(await send(subject, who, one));
      for (const answer of answers) {
        expectError(answer, "not_found");
        answer.json.error.requestId = "";
      }
      expect(answers[0]?.json).toEqual(answers.at(-1)?.json);
    });
  }

  if (targetKinds[kind].isMissed) {
    test(`reports a deleted ${kind} as gone to those who could see it, and to nobody else`, async () => {
      const { who, theirs } = asking();
      const { owner } = subject.stage;
      const removed = await parts(theirs.deleted(kind, "public"));
      expectError(await send(subject, who, removed), "gone");
      expectError(await send(subject, who, await parts(theirs.deleted(kind, "private"))), "not_found");
      const own = await parts(subject.stage.deleted(kind, "private"));
      expectError(await send(subject, owner, own), "gone");
    });
  }

  const roles = about.on[kind];
  if (roles !== undefined && roles !== "viewers") {
    test(`lets only ${roles.join(", ")} act on a visible ${kind}`, async () => {
      const { who, theirs } = asking();
      const asked = await parts(theirs.shared(kind));
      expectError(await send(subject, who, asked), about.otherwise ?? "forbidden");
    });

    // Whoever is a party to one of two things may be none to the other.
    if (kinds.length === 1) {
      test.each(roles)(`lets %s act on a ${kind}`, async (role) => {
        const things: Staged[] = await make(subject, kinds);
        const who = whoIs(role, subject, things[place]!.thing);
        const before = await auditedBy(subject, who);
        const answer = await send(subject, who, request(subject, things));
        expect(Object.keys(subject.operation.results).map(Number)).toContain(answer.status);
        expect((await auditedBy(subject, who)) - before).toBe(isAudited(subject, role) ? 1 : 0);
      });
    }
  }
}

/** Whether the audit log has an operation: a deletion, what staff does to things of others, and what its scene says. */
export const isAudited = ({ id, operation }: Subject, role: string): boolean =>
  operationScenes[id]?.isAudited ??
  (methodOf(operation) === "DELETE" || (isWrite(operation) && ["moderator", "admin"].includes(role)));

/** The number of audit rows of somebody. */
export async function auditedBy({ stage: { server } }: Subject, { id }: Person): Promise<number> {
  const [row] = await server.sql`select count(*)::int as count from audit_log where actor_id = ${id}`;
  return row?.["count"] as number;
}

/** Somebody who is this to a thing. */
export function whoIs(role: string, { stage, people }: Subject, thing: Thing): Person {
  const { moderator, admin } = people;
  const who = { owner: stage.owner, moderator, admin, ...thing.as }[role];
  if (!who) throw new Error(`the scenes of this kind do not say who is its ${role}`);
  return who;
}

function testAddress(subject: Subject): void {
  const { operation } = subject;
  test("reports a malformed address as missing", alike(subject, 0), async () => {
    const { owner } = subject.stage;
    const parts = request(subject, await shared(subject.stage, castings(operation)[0] ?? []));
    const names = [...pathOf(operation).matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    for (const [nth, name] of names.entries()) {
      const wrong = ["%00", "Ä Ö", "-", `${String(parts.params[name])}é`, "x".repeat(300)];
      const params = { ...parts.params, [name]: inTurn(subject, wrong, nth) };
      const answer = await send(subject, owner, { ...parts, params });
      // A range is a query in the path: a malformed one is an invalid request, not a missing target.
      expectError(answer, name === "range" ? "validation_failed" : "not_found");
    }
  });
}
