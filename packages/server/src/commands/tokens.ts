import { AccountRole, Scope } from "@promptreg/core";
import { announceIn } from "../kernel/changes/bus.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import { hashToken, makeToken } from "../kernel/accounts/token.ts";
import { userIdOf } from "./users.ts";
import { auditOperator, print, visit } from "./visit.ts";

interface CreateOptions {
  user: string;
  scopes: string;
  name: string;
  role: string;
  expiresIn?: string;
}

export const create = ({ user, name, role, ...options }: CreateOptions) =>
  visit(async (sql) => {
    const scopes = options.scopes.split(",").map((scope) => scope.trim());
    const unknown = scopes.find((scope) => !Scope.safeParse(scope).success);
    if (unknown !== undefined) {
      throw new DatabaseSetupError(`Unknown scope "${unknown}". Valid scopes: read, write, evals:write.`);
    }
    const days = options.expiresIn === undefined ? null : Number(options.expiresIn);
    if (days !== null && !(days > 0 && days <= 3_650)) {
      throw new DatabaseSetupError("--expires-in is a number of days above 0, at most 3650.");
    }
    const userId = await userIdOf(sql, user);
    const [account] = await sql<{ role: string }[]>`select role from users where id = ${userId}`;
    if (
      !AccountRole.safeParse(role).success ||
      (role !== "user" && role !== account?.role && account?.role !== "admin")
    ) {
      throw new DatabaseSetupError(
        `${user} does not have the role ${role}. Give it first: promptreg-server user role ${user} ${role}`,
      );
    }
    const token = makeToken();
    await sql.begin(async (sql) => {
      const [made] = await sql<{ id: string }[]>`
        insert into tokens (user_id, name, hash, prefix, scopes, role, expires_at)
        values (${userId}, ${name}, ${hashToken(token)}, ${token.slice(0, 8)}, ${[...new Set(scopes)]}, ${role},
          clock() + make_interval(secs => ${days === null ? null : days * 86_400}))
        returning id`;
      await auditOperator(sql, {
        action: "token.create",
        target: made?.id ?? "",
        data: { userId, scopes, role },
      });
    });
    process.stderr.write(`Created a token for ${user} with ${scopes.join(", ")}. It is shown only once.\n`);
    process.stdout.write(`${token}\n`);
  });

export const list = ({ user, ...options }: { user: string; json?: boolean }) =>
  visit(async (sql) => {
    const userId = await userIdOf(sql, user);
    const rows = await sql`
      select id, name, prefix || '…' as token, array_to_string(scopes, ',') as scopes, role, iso(created_at) as created,
        iso(expires_at) as expires, iso(revoked_at) as revoked
      from tokens where user_id = ${userId} order by id`;
    print(rows, options);
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
