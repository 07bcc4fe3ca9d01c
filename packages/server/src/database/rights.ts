import type postgres from "postgres";
import { type DatabaseAddress, queueSchemaOf } from "./connection.ts";

/**
 * Statements that give a login what it lacks to read and write, of tables that are there and of those that migrations will make. None, if it lacks
 * nothing or nothing is there yet. With `works` also what workers need: the job queue, and functions that do what only an owner may.
 */
export async function missingGrants(
  sql: postgres.Sql,
  { user, address, works }: { user: string; address: DatabaseAddress; works: boolean },
): Promise<string[]> {
  const schemas = works ? [address.schema, queueSchemaOf(address)] : [address.schema];
  const found = await sql<{ schema: string; owner: string; isLacking: boolean; closed: string[] }[]>`
    with things as (
      select n.nspname::text as schema, c.relname::text as name, c.relowner as owner,
        has_schema_privilege(${user}, n.oid, 'usage') and has_table_privilege(${user}, c.oid, 'select')
          and has_table_privilege(${user}, c.oid, 'insert') and has_table_privilege(${user}, c.oid, 'update')
          and has_table_privilege(${user}, c.oid, 'delete') as is_allowed,
        -- Rows of these are for their owner alone, unless a policy says otherwise.
        c.relrowsecurity and not pg_has_role(${user}, c.relowner, 'usage')
          and not (select rolbypassrls or rolsuper from pg_roles where rolname = ${user})
          and not exists (
            select from pg_policy where polrelid = c.oid and (select oid from pg_roles where rolname = ${user}) = any (polroles)
          ) as is_closed
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any (${schemas}) and c.relkind in ('r', 'p') and not c.relispartition
      union all
      select n.nspname, p.proname, p.proowner, has_function_privilege(${user}, p.oid, 'execute'), false
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where ${works} and n.nspname = ${address.schema} and p.prosecdef
    )
    select schema, min(owner::regrole::text) as owner, not bool_and(is_allowed) as "isLacking",
      coalesce(array_agg(name order by name) filter (where is_closed), '{}') as closed
    from things group by schema order by schema = ${address.schema} desc`;
  const to = `"${user.replaceAll('"', '""')}"`;
  return found.flatMap(({ schema, owner, isLacking, closed }) => [
    ...(isLacking ? grantsOf({ schema, owner, to, works }) : []),
    ...closed.map(
      (name) =>
        `create policy ${name}_of_${schema} on ${schema}.${name} to ${to} using (true) with check (true);`,
    ),
  ]);
}

/** `owner` is quoted by PostgreSQL if need be. */
function grantsOf({
  schema,
  owner,
  to,
  works,
}: {
  schema: string;
  owner: string;
  to: string;
  works: boolean;
}): string[] {
  const rights = [
    ["select, insert, update, delete", "tables"],
    ["usage", "sequences"],
    ...(works ? [["execute", "functions"]] : []),
  ];
  return [
    `grant usage on schema ${schema} to ${to};`,
    ...rights.map(([right, things]) => `grant ${right} on all ${things} in schema ${schema} to ${to};`),
    ...rights.map(
      ([right, things]) =>
        `alter default privileges for role ${owner} in schema ${schema} grant ${right} on ${things} to ${to};`,
    ),
  ];
}
