import { AccountRole, handle as handleSchema, reservedHandles } from "@promptreg/core";
import type postgres from "postgres";
import { announceIn } from "../kernel/changes/bus.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import type { Sql } from "../database/sql.ts";
import { auditOperator, print, visit } from "./visit.ts";

/** Finds an account by its handle. */
export async function userIdOf(sql: Sql, handle: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from users where handle = ${handle}`;
  if (row) return row.id;
  throw new DatabaseSetupError(`No account ${handle}. List accounts with \`promptreg-server user list\`.`);
}

function requireHandle(handle: string): void {
  if (handleSchema.safeParse(handle).success && !reservedHandles.includes(handle)) return;
  throw new DatabaseSetupError(
    `Invalid handle "${handle}". Use up to 39 of a-z and 0-9, with single hyphens between them, and no reserved word.`,
  );
}

/** Handles change one at a time, so that no two accounts get the same one. */
const changeHandles = (sql: postgres.Sql, change: (sql: postgres.TransactionSql) => Promise<void>) =>
  sql.begin(async (sql) => {
    await sql`lock table former_handles in share row exclusive mode`;
    await change(sql);
  });

/** A handle that an account has or had is taken; the account `ownId` may take its own former handle back. */
async function requireFree(sql: Sql, handle: string, ownId = ""): Promise<void> {
  const [taken] = await sql`
    select from users where handle = ${handle}
    union all select from former_handles where handle = ${handle} and user_id <> ${ownId}`;
  if (taken) throw new DatabaseSetupError(`The handle ${handle} is taken.`);
}

export const add = (handle: string, { name, email }: { name?: string; email?: string }) =>
  visit(async (sql) => {
    requireHandle(handle);
    await changeHandles(sql, async (sql) => {
      await requireFree(sql, handle);
      const [user] = await sql<{ id: string }[]>`
        insert into users (handle, name, email) values (${handle}, ${name ?? null}, ${email ?? null}) returning id`;
      await auditOperator(sql, { action: "user.create", target: user?.id ?? "", data: { handle } });
    });
    process.stderr.write(
      `Created the account ${handle}. Next: promptreg-server token create --user ${handle}\n`,
    );
  });

/** Gives an account another handle. Addresses with the old one keep working. */
export const rename = (from: string, to: string) =>
  visit(async (sql) => {
    requireHandle(to);
    await changeHandles(sql, async (sql) => {
      const id = await userIdOf(sql, from);
      await requireFree(sql, to, id);
      await sql`delete from former_handles where handle = ${to}`;
      await sql`insert into former_handles (handle, user_id) values (${from}, ${id})`;
      await sql`update users set handle = ${to}, revision = revision + 1 where id = ${id}`;
      await announceIn(sql, { id });
      await auditOperator(sql, { action: "user.rename", target: id, data: { from, to } });
    });
    process.stderr.write(`${from} is now ${to}. Addresses with the old handle keep working.\n`);
  });

export const list = (options: { json?: boolean }) =>
  visit(async (sql) => {
    const rows = await sql`
      select handle, name, role, iso(suspended_at) as suspended, iso(created_at) as created from users order by handle`;
    print(rows, options);
  });

export const suspend = (handle: string, { undo = false }: { undo?: boolean }) =>
  visit(async (sql) => {
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`
        update users set suspended_at = ${undo ? sql`null` : sql`coalesce(suspended_at, clock())`} where id = ${id}`;
      await announceIn(sql, { id });
      await auditOperator(sql, { action: undo ? "user.unsuspend" : "user.suspend", target: id });
    });
    process.stderr.write(
      undo ? `${handle} is no longer suspended.\n` : `${handle} is suspended and cannot change anything.\n`,
    );
  });

/** Lets an account publish posts without a review. */
export const trust = (handle: string, { undo = false }: { undo?: boolean }) =>
  visit(async (sql) => {
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`update users set trusted_author = ${!undo} where id = ${id}`;
      await auditOperator(sql, { action: undo ? "user.distrust" : "user.trust", target: id });
    });
    process.stderr.write(
      undo ? `Moderators review the posts of ${handle}.\n` : `${handle} publishes posts without a review.\n`,
    );
  });

export const setRole = (handle: string, role: string) =>
  visit(async (sql) => {
    if (!AccountRole.safeParse(role).success) {
      throw new DatabaseSetupError(`Unknown role "${role}". Valid roles: user, moderator, admin.`);
    }
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`update users set role = ${role} where id = ${id}`;
      await announceIn(sql, { id });
      await auditOperator(sql, { action: "user.role", target: id, data: { role } });
    });
    process.stderr.write(`${handle} now has the role ${role}. Only tokens created with a role can use it.\n`);
  });
