import { AccountRole, labelName, labelProblem, Scope, type TokenRestriction } from "@promptreg/core";
import { announceIn } from "../kernel/changes/bus.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import { hashToken, makeToken } from "../kernel/accounts/token.ts";
import type { Sql } from "../database/sql.ts";
import { auditOperator, print, visit, userIdOf } from "./visit.ts";

export interface CreateOptions {
  user: string;
  scopes: string;
  name: string;
  role: string;
  expiresIn?: string;
  prompts?: string;
  labels?: string;
  create: boolean;
}

export const create = ({ user, name, role, ...options }: CreateOptions) =>
  visit(async (sql) => {
    const { scopes, days } = readGrant(options);
    const restriction = readRestriction(user, options);
    if (restriction && role !== "user")
      throw new DatabaseSetupError("A restricted token cannot act as moderator or admin: leave out --role.");
    const userId = await userIdOf(sql, user);
    const [account] = await sql<{ role: string; isSuspended: boolean }[]>`
      select role, suspended_at is not null as "isSuspended" from users where id = ${userId}`;
    if (
      !AccountRole.safeParse(role).success ||
      (role !== "user" && role !== account?.role && account?.role !== "admin")
    ) {
      throw new DatabaseSetupError(
        `${user} does not have the role ${role}. Give it first: promptreg-server user role ${user} ${role}`,
      );
    }
    const token = await sql.begin((sql) =>
      insertToken(sql, { userId, name, scopes, days, role, restriction }),
    );
    const limits = restriction ? `, restricted to ${describe(user, restriction)}` : "";
    process.stderr.write(
      `Created a token for ${user} with ${scopes.join(", ")}${limits}. It is shown only once.\n`,
    );
    if (account?.isSuspended)
      process.stderr.write(`${user} is suspended: the token reads, and changes nothing.\n`);
    process.stdout.write(`${token}\n`);
  });

/**
 * Reads the scopes and the end of tokens.
 * @throws {DatabaseSetupError}
 */
export function readGrant(options: Pick<CreateOptions, "scopes" | "expiresIn">) {
  const scopes = listed(options.scopes);
  const unknown = scopes.find((scope) => !Scope.safeParse(scope).success);
  if (unknown !== undefined) {
    throw new DatabaseSetupError(`Unknown scope "${unknown}". Valid scopes: read, write, evals:write.`);
  }
  const days = options.expiresIn === undefined ? null : Number(options.expiresIn);
  if (days !== null && !(days > 0 && days <= 3_650)) {
    throw new DatabaseSetupError("--expires-in is a number of days above 0, at most 3650.");
  }
  return { scopes, days };
}

/** A token to be made, by what it is for and what it may do. */
interface NewToken {
  userId: string;
  name: string;
  scopes: readonly string[];
  /** Until it expires. Null: never. */
  days: number | null;
  role?: string;
  restriction?: TokenRestriction | null;
}

/** Makes a token, in the transaction of whoever asks, and gives it: only its hash is stored. */
export async function insertToken(
  sql: Sql,
  { userId, name, scopes, days, role = "user", restriction = null }: NewToken,
): Promise<string> {
  const token = makeToken();
  const [made] = await sql<{ id: string }[]>`
    insert into tokens (user_id, name, hash, prefix, scopes, role, restriction, expires_at)
    values (${userId}, ${name}, ${hashToken(token)}, ${token.slice(0, 8)}, ${[...scopes]}, ${role},
      ${restriction ? sql.json({ ...restriction }) : null},
      clock() + make_interval(secs => ${days === null ? null : days * 86_400}))
    returning id`;
  await auditOperator(sql, {
    action: "token.create",
    target: made?.id ?? "",
    data: { userId, scopes, role, ...(restriction && { restriction }) },
  });
  return token;
}

const listed = (text: string) => [...new Set(text.split(",").map((part) => part.trim()))];

/** What the options restrict a token to; null if none of them is used. */
function readRestriction(
  user: string,
  { prompts, labels, create }: Pick<CreateOptions, "prompts" | "labels" | "create">,
): TokenRestriction | null {
  // An empty list, such as a variable gives that is not set, is no list of all.
  if (prompts === undefined && labels === undefined && create) return null;
  const slugs = listed(prompts ?? `${user}/*`).map((ref) => {
    const [, owner, slug] = /^([^/]+)\/([a-z0-9-]*\*?)$/.exec(ref) ?? [];
    if (owner === user && slug) return slug;
    throw new DatabaseSetupError(
      `--prompts: "${ref}" must be a prompt of ${user}, such as ${user}/reply, or the beginning of several, such as ${user}/support-*.`,
    );
  });
  const names = labels === undefined ? null : listed(labels);
  for (const name of names ?? []) {
    const problem = labelName.safeParse(name).success ? labelProblem(name) : "That is no name of a label.";
    if (problem !== undefined) throw new DatabaseSetupError(`--labels: "${name}": ${problem}`);
  }
  return { prompts: slugs, labels: names, creates: create };
}

const describe = (user: string, { prompts, labels, creates }: TokenRestriction): string =>
  [
    prompts.map((one) => `${user}/${one}`).join(", "),
    ...(labels === null ? [] : [`the labels ${labels.join(", ")}`]),
    ...(creates ? [] : ["no new prompts or versions"]),
  ].join("; ");

export const list = ({ user, ...options }: { user: string; json?: boolean }) =>
  visit(async (sql) => {
    const userId = await userIdOf(sql, user);
    const rows = await sql<{ restriction: TokenRestriction | null }[]>`
      select id, name, prefix || '…' as token, array_to_string(scopes, ',') as scopes, role, iso(created_at) as created,
        iso(last_used_at) as used, iso(expires_at) as expires, iso(revoked_at) as revoked, restriction
      from tokens where user_id = ${userId} order by id`;
    print(
      rows.map(({ restriction, ...row }) => ({
        ...row,
        restriction: options.json || !restriction ? restriction : describe(user, restriction),
      })),
      options,
    );
  });

/** Revokes all tokens of an account. */
export const revokeAll = (user: string) =>
  visit(async (sql) => {
    const userId = await userIdOf(sql, user);
    const count = await sql.begin(async (sql) => {
      const revoked = await sql<{ id: string }[]>`
        update tokens set revoked_at = clock() where user_id = ${userId} and revoked_at is null returning id`;
      await announceIn(sql, { id: userId });
      const tokens = revoked.map(({ id }) => id);
      await auditOperator(sql, { action: "token.revoke_all", target: userId, data: { tokens } });
      return tokens.length;
    });
    process.stderr.write(`Revoked ${count} ${count === 1 ? "token" : "tokens"} of ${user}.\n`);
  });

export const revoke = (id: string) =>
  visit(async (sql) => {
    await sql.begin(async (sql) => {
      const [revoked] = await sql<{ userId: string }[]>`
        update tokens set revoked_at = coalesce(revoked_at, clock()) where id = ${id} returning user_id as "userId"`;
      if (revoked === undefined) {
        throw new DatabaseSetupError(
          `No token ${id}. List tokens with \`promptreg-server token list --user <handle>\`.`,
        );
      }
      await announceIn(sql, { id: revoked.userId });
      await auditOperator(sql, { action: "token.revoke", target: id, data: { ...revoked } });
    });
    process.stderr.write("Revoked.\n");
  });
