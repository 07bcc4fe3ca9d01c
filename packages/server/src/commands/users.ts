import { AccountRole, handle as handleSchema, reservedHandles } from "@promptreg/core";
import type postgres from "postgres";
import { DatabaseSetupError } from "../database/connection.ts";
import { print, visit } from "./visit.ts";

/** Finds an account by its handle. */
export async function userIdOf(sql: postgres.Sql, handle: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from users where handle = ${handle}`;
  if (row) return row.id;
  throw new DatabaseSetupError(`There is no account ${handle}. \`promptreg-server user list\` shows them.`);
}

export const add = (handle: string, { name, email }: { name?: string; email?: string }) =>
  visit(async (sql) => {
    if (!handleSchema.safeParse(handle).success || reservedHandles.includes(handle)) {
      throw new DatabaseSetupError(
        `"${handle}" cannot be a handle: up to 39 of a-z and 0-9, single hyphens between them, and no word of the site.`,
      );
    }
    const [made] = await sql`
      insert into users (handle, name, email) values (${handle}, ${name ?? null}, ${email ?? null})
      on conflict (handle) do nothing returning id`;
    if (made === undefined) throw new DatabaseSetupError(`The handle ${handle} is taken.`);
    process.stderr.write(`Made the account ${handle}. Now: promptreg-server token create --user ${handle}\n`);
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
    await sql`
      update users set suspended_at = ${undo ? sql`null` : sql`coalesce(suspended_at, clock())`} where id = ${id}`;
    process.stderr.write(
      undo ? `${handle} may change things again.\n` : `${handle} cannot change anything now.\n`,
    );
  });

export const setRole = (handle: string, role: string) =>
  visit(async (sql) => {
    if (!AccountRole.safeParse(role).success) {
      throw new DatabaseSetupError(`"${role}" is no role. There are user, moderator and admin.`);
    }
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`update users set role = ${role} where id = ${id}`;
      await sql`insert into audit_log (action, target, data) values ('user.role', ${id}, ${sql.json({ role })})`;
    });
    process.stderr.write(
      `${handle} is now ${role}. Tokens act in a role only when they were made with it.\n`,
    );
  });
