import { type Contract, contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, describe } from "vitest";
import { startTestServer } from "../harness.ts";
import { liftLimits, TestStage } from "../stage.ts";
import { testAccess } from "./access.ts";
import { testAnswers } from "./answers.ts";
import { testGenerated } from "./generated.ts";
import { testInput } from "./input.ts";
import type { People, Subject } from "./requests.ts";
import { testTargets } from "./targets.ts";

const all = ["read", "write", "evals:write"];

/** Tests every operation of a group against the contract. `owning`: what the owner of all that is staged is beside that. */
export function testContract(group: keyof Contract, owning: { role?: "moderator" } = {}): void {
  const operations = listOperations(contract[group], `${group}.`);
  const common = {} as Pick<Subject, "stage" | "elsewhere" | "people">;
  beforeAll(async () => {
    const server = await startTestServer();
    await liftLimits(server);
    // All that is made has the same age, so that each order of a list is decided by what it names last.
    await server.setClock(new Date().toISOString());
    const owner = await server.join("alice", { scopes: all, ...owning });
    const viewer = await server.join("mallory", { scopes: all });
    common.stage = new TestStage({ server, owner, viewer });
    common.elsewhere = new TestStage({ server, owner: viewer, viewer: owner });
    common.people = await meet(common.stage, owning);
  });
  afterAll(() => common.stage?.server.stop());

  const subjects = operations.map(
    ({ id, operation }): Subject => ({
      id,
      operation,
      get stage() {
        return common.stage;
      },
      get elsewhere() {
        return common.elsewhere;
      },
      get people() {
        return common.people;
      },
    }),
  );
  describe.each(subjects)("$id", (subject) => {
    testAccess(subject);
    testTargets(subject);
    testInput(subject);
    testAnswers(subject);
  });
  testGenerated(group, subjects);
}

async function meet({ server, owner }: TestStage, owning: object): Promise<People> {
  const expired = await server.join("expired");
  await server.sql`update tokens set expires_at = clock() - interval '1 second' where user_id = ${expired.id}`;
  const revoked = await server.join("revoked");
  await server.sql`update tokens set revoked_at = clock() where user_id = ${revoked.id}`;
  return {
    expired,
    revoked,
    suspended: await server.join("suspended", { scopes: all, suspended: true }),
    blindOwner: await server.join(owner.handle, { scopes: ["write"], ...owning }),
    blind: await server.join("blind", { scopes: ["write"] }),
    moderator: await server.join("moderator", { scopes: all, role: "moderator" }),
    admin: await server.join("admin", { scopes: all, role: "admin" }),
  };
}
