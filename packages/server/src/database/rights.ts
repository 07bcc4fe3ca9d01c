import { type DatabaseAddress, DatabaseSetupError, queueSchemaOf } from "./connection.ts";

/** Runs a statement by either driver. */
type Query = (text: string, parameters: (string | string[] | null)[]) => PromiseLike<object[]>;

/**
 * Statements that give a login what it lacks to read and write, of tables that are there and of those that migrations will make. None, if it lacks
 * nothing or nothing is there yet. With `works` also what workers need: the job queue, and functions that do what only an owner may.
 */
export async function missingGrants(
  query: Query,
  { user, address, works }: { user: string; address: DatabaseAddress; works: boolean },
): Promise<string[]> {
  const schemas = works ? [address.schema, queueSchemaOf(address)] : [address.schema];
  const found = (await query(
    `with things as (
      select n.nspname::text as schema, c.relname::text as name, c.relowner as owner,
        has_schema_privilege($1, n.oid, 'usage') and has_table_privilege($1, c.oid, 'select')
          and has_table_privilege($1, c.oid, 'insert') and has_table_privilege($1, c.oid, 'update')
          and has_table_privilege($1, c.oid, 'delete') as is_allowed,
        -- Rows of these are for their owner alone, unless a policy says otherwise.
        c.relrowsecurity and not pg_has_role($1, c.relowner, 'usage') and not r.rolbypassrls and not r.rolsuper
          and not exists (select from pg_policy where polrelid = c.oid and r.oid = any (polroles)) as is_closed
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.rolname = $1
      where n.nspname = any ($2) and c.relkind in ('r', 'p') and not c.relispartition
      union all
      select n.nspname, p.proname, p.proowner, has_function_privilege($1, p.oid, 'execute'), false
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = $3 and p.prosecdef
    )
    select schema, min(owner::regrole::text) as owner, not bool_and(is_allowed) as "isLacking",
      coalesce(array_agg(name order by name) filter (where is_closed), '{}') as closed
    from things group by schema order by schema = $4 desc`,
    [user, schemas, works ? address.schema : null, address.schema],
  )) as { schema: string; owner: string; isLacking: boolean; closed: string[] }[];
  const to = `"${user.replaceAll('"', '""')}"`;
  return found.flatMap(({ schema, owner, isLacking, closed }) => [
    ...(isLacking ? grantsOf({ schema, owner, to, works }) : []),
    ...closed.map(
      (name) => `create policy ${to} on ${schema}.${name} to ${to} using (true) with check (true);`,
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

/** @throws {DatabaseSetupError} if the login of a process may not do what it has to, with the statements that let it. */
export async function requireRights(query: Query, address: DatabaseAddress): Promise<void> {
  const { user } = address;
  const missing = await missingGrants(query, { user, address, works: true });
  if (missing.length === 0) return;
  throw new DatabaseSetupError(
    `The login ${user} of DATABASE_URL lacks rights. As the one who migrates, run this in PostgreSQL:\n${missing.join("\n")}`,
  );
}
