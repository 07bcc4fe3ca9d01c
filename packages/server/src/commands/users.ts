import { readFileSync } from "node:fs";
import { csvRows } from "@promptreg/core/rows";
import * as z from "zod";
import { AccountRole, handle as handleSchema, reservedHandles, UpdateMe } from "@promptreg/core";
import type postgres from "postgres";
import { announceIn } from "../kernel/changes/bus.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import type { Sql } from "../database/sql.ts";
import { bytesOf } from "../kernel/changes/account-bytes.ts";
import { insertToken, readGrant } from "./tokens.ts";
import { auditOperator, print, userIdOf, visit } from "./visit.ts";

/** What the handles of deleted accounts begin with. */
export const deletedPrefix = "deleted-";

function requireHandle(handle: string): void {
  const isReserved = reservedHandles.includes(handle) || handle.startsWith(deletedPrefix);
  if (handleSchema.safeParse(handle).success && !isReserved) return;
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
    union all select from former_handles where handle = ${handle} and user_id is distinct from ${ownId}`;
  if (taken) throw new DatabaseSetupError(`The handle ${handle} is taken.`);
}

export const add = (handle: string, { name, email }: { name?: string; email?: string }) =>
  visit(async (sql) => {
    const person = { handle, name: name ?? null, email: email ?? null };
    requirePerson(person);
    await changeHandles(sql, async (sql) => {
      await insertAccount(sql, person);
    });
    process.stderr.write(
      `Created the account ${handle}. Next: promptreg-server token create --user ${handle}\n`,
    );
  });

/** @throws {DatabaseSetupError} for what the API would not take either. */
function requirePerson({ handle, name, email }: NewPerson): void {
  requireHandle(handle);
  if (!UpdateMe.safeParse({ name }).success)
    throw new DatabaseSetupError("A name is one line of at most 100 characters.");
  if (email !== null) requireAddress(email);
}

/** Creates an account, in the transaction of whoever asks, and gives its id. */
async function insertAccount(sql: Sql, { handle, name, email }: NewPerson): Promise<string> {
  await requireFree(sql, handle);
  const [user] = await sql<{ id: string }[]>`
    insert into users (handle, name, email) values (${handle}, ${name}, ${email}) returning id`;
  const id = user?.id ?? "";
  await auditOperator(sql, { action: "user.create", target: id, data: { handle } });
  return id;
}

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
      select handle, name, role, iso(suspended_at) as suspended, iso(created_at) as created from users
      where deleted_at is null order by handle`;
    print(rows, options);
  });

/** An account as an operator looks at it. */
export const show = (handle: string, options: { json?: boolean }) =>
  visit(async (sql) => {
    const id = await userIdOf(sql, handle);
    const rows = await sql<Record<string, unknown>[]>`
      select u.id, u.handle, u.name, u.email, u.role, u.trusted_author as "trustedAuthor", iso(u.created_at) as created,
        iso(u.suspended_at) as suspended,
        (select count(*) from prompts where owner_id = u.id and deleted_at is null)::int as prompts,
        (select count(*) from makes where owner_id = u.id and deleted_at is null)::int as makes,
        (select count(*) from posts where owner_id = u.id and deleted_at is null)::int as posts,
        (select count(*) from webhooks where user_id = u.id and deleted_at is null)::int as webhooks,
        ${bytesOf(sql, { accountId: id })} as bytes, max_bytes::float8 as "maxBytes",
        (select count(*) from tokens t where t.user_id = u.id and t.revoked_at is null
          and (t.expires_at is null or t.expires_at > clock()))::int as tokens,
        (select iso(max(last_used_at)) from tokens where user_id = u.id) as used
      from users u where u.id = ${id}`;
    if (options.json) print(rows, options);
    else
      print(
        Object.entries(rows[0] ?? {}).map(([field, value]) => ({ field, value })),
        options,
      );
  });

/** Sets where mail of an account goes to. Null: none is sent. */
export const setEmail = (handle: string, address: string | null) =>
  visit(async (sql) => {
    if (address !== null) requireAddress(address);
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`update users set email = ${address}, revision = revision + 1 where id = ${id}`;
      await announceIn(sql, { id });
      // The audit log says that, and not where to: it is kept when an account goes.
      await auditOperator(sql, { action: "user.email", target: id, data: { isSet: address !== null } });
    });
    process.stderr.write(
      address === null ? `${handle} gets no mail.\n` : `Mail of ${handle} goes to ${address}.\n`,
    );
  });

function requireAddress(address: string): void {
  if (z.email().safeParse(address).success) return;
  throw new DatabaseSetupError(`"${address}" is no e-mail address.`);
}

/** Sets how many megabytes the files of an account may take. `default`: as many as those of others. */
export const setStorage = (handle: string, megabytes: string) =>
  visit(async (sql) => {
    const isDefault = megabytes === "default";
    if (!isDefault && !/^\d{1,9}$/.test(megabytes))
      throw new DatabaseSetupError(
        `"${megabytes}" is neither a number of megabytes below 1000000000 nor default.`,
      );
    const maxBytes = isDefault ? null : 1e6 * Number(megabytes);
    const id = await userIdOf(sql, handle);
    await sql.begin(async (sql) => {
      await sql`update users set max_bytes = ${maxBytes}, revision = revision + 1 where id = ${id}`;
      await announceIn(sql, { id });
      await auditOperator(sql, { action: "user.storage", target: id, data: { maxBytes } });
    });
    process.stderr.write(
      isDefault
        ? `The files of ${handle} can take as much as those of others.\n`
        : `The files of ${handle} can take ${megabytes} MB.\n`,
    );
  });

/** Creates accounts from a file, each with a token, all or none. */
export const importFrom = (file: string, options: { scopes: string; expiresIn?: string }) =>
  visit(async (sql) => {
    const { scopes, days } = readGrant(options);
    const people = readPeople(readText(file));
    const made: { handle: string; token: string }[] = [];
    await changeHandles(sql, async (sql) => {
      for (const person of people) {
        const userId = await insertAccount(sql, person);
        const token = await insertToken(sql, { userId, name: "first", scopes, days });
        made.push({ handle: person.handle, token });
      }
    });
    process.stderr.write(`Created ${made.length} accounts. The tokens are shown only once.\n`);
    process.stdout.write(
      ["handle,token", ...made.map(({ handle, token }) => `${handle},${token}`), ""].join("\n"),
    );
  });

const fields = ["handle", "name", "email"];

interface NewPerson {
  handle: string;
  name: string | null;
  email: string | null;
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") throw new DatabaseSetupError(`${file} is not UTF-8.`);
    throw new DatabaseSetupError(`${file} cannot be read (${code}).`);
  }
}

function rowsOf(text: string) {
  try {
    const rows = [...csvRows().add(text, { isLast: true })];
    return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  } catch (error) {
    throw new DatabaseSetupError(`The file is no CSV: ${(error as Error).message}`);
  }
}

/** @throws {DatabaseSetupError} naming the line. */
function readPeople(text: string): NewPerson[] {
  const [header, ...rows] = rowsOf(text);
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const unknown = names.find((name, nth) => !fields.includes(name) || names.indexOf(name) < nth);
  if (!names.includes("handle") || unknown !== undefined)
    throw new DatabaseSetupError(
      `The first line of the file must be a header: handle, and name and email if you have them, with commas between.${unknown === undefined ? "" : ` It has "${unknown}".`}`,
    );
  if (rows.length === 0) throw new DatabaseSetupError("The file has no accounts below its header.");
  const seen = new Set<string>();
  return rows.map(({ line, cells }) => {
    const cell = (name: string) => cells[names.indexOf(name)]?.trim() || null;
    const person = { handle: cell("handle") ?? "", name: cell("name"), email: cell("email") };
    try {
      if (cells.length !== names.length)
        throw new DatabaseSetupError(`It has ${cells.length} values, and the header ${names.length}.`);
      requirePerson(person);
      if (seen.has(person.handle))
        throw new DatabaseSetupError(`The handle ${person.handle} is there twice.`);
    } catch (error) {
      throw new DatabaseSetupError(`Line ${line}: ${(error as Error).message}`);
    }
    seen.add(person.handle);
    return person;
  });
}

/** Disables the webhooks of an account as it could itself: what waits for them is not sent any more. */
async function disableWebhooks(sql: Sql, userId: string): Promise<number> {
  const { count } = await sql`
    with former as (
      insert into former_filters (webhook_id, epoch, since, until, events, prompt_ids)
      select id, epoch, since, clock(), events, prompt_ids from webhooks
      where user_id = ${userId} and disabled_reason is null and deleted_at is null
      on conflict do nothing
    )
    update webhooks set disabled_reason = 'owner', since = clock(), epoch = epoch + 1, revision = revision + 1, updated_at = clock()
    where user_id = ${userId} and disabled_reason is null and deleted_at is null`;
  return count;
}

export const suspend = (handle: string, { undo = false }: { undo?: boolean }) =>
  visit(async (sql) => {
    const id = await userIdOf(sql, handle);
    const disabled = await sql.begin(async (sql) => {
      await sql`
        update users set suspended_at = ${undo ? sql`null` : sql`coalesce(suspended_at, clock())`} where id = ${id}`;
      const webhooks = undo ? 0 : await disableWebhooks(sql, id);
      await announceIn(sql, { id });
      await auditOperator(sql, {
        action: undo ? "user.unsuspend" : "user.suspend",
        target: id,
        data: { ...(webhooks > 0 && { webhooks }) },
      });
      return webhooks;
    });
    const also = disabled > 0 ? ` ${disabled} of its webhooks are disabled.` : "";
    process.stderr.write(
      undo
        ? `${handle} is no longer suspended. It can enable its webhooks again.\n`
        : `${handle} is suspended and cannot change anything.${also}\n`,
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
