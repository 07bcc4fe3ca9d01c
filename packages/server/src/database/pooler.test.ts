import type postgres from "postgres";
import { expect, test } from "vitest";
import { Pooled, refusePooler } from "./open.ts";

/** A pool whose connections have these sessions. */
const poolOf = (...sessions: { pid: number; path: string }[]) =>
  ({
    reserve: async () => {
      const session = sessions.shift();
      return Object.assign(async () => [session], { release: () => {} });
    },
  }) as unknown as postgres.Sql;
const path = "promptreg, public";

test("connections with sessions of their own are those of PostgreSQL itself", async () => {
  await expect(refusePooler(poolOf({ pid: 1, path }, { pid: 2, path }))).resolves.toBeUndefined();
});

test("connections that share a session, or lost their settings, are those of a pooler", async () => {
  await expect(refusePooler(poolOf({ pid: 1, path }, { pid: 1, path }))).rejects.toThrow(Pooled);
  const other = { pid: 1, path: '"$user", public' };
  await expect(refusePooler(poolOf(other, { ...other, pid: 2 }))).rejects.toThrow(Pooled);
});
