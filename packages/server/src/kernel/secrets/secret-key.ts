import type { Logger } from "pino";
import { DatabaseSetupError } from "../../database/connection.ts";
import type { Sql } from "../../database/sql.ts";
import type { SecretBox } from "./secret-box.ts";

const ifLost =
  "If it is lost, stop all processes and run `promptreg-server secret forget` with a new one: each webhook needs a new secret then.";

/**
 * Checks, before a new secret is written to a file, that no webhook secret was encrypted with the one that is missing there.
 * @throws {DatabaseSetupError}
 */
export async function requireNoneEncrypted(sql: Sql, path: string): Promise<void> {
  const { count } = await sql`
    select from webhooks where deleted_at is null and secret_key_id <> '' limit 1`;
  if (count === 0) return;
  throw new DatabaseSetupError(
    `${path} is missing: the webhook secrets of this database were encrypted with it. ` +
      `Restore it from a backup, or set PROMPTREG_SECRET to its content. ${ifLost}`,
  );
}

/** Lets the next process that starts have another PROMPTREG_SECRET; gives the key of the one until now. */
export const forgetSecret = (sql: Sql) =>
  sql<{ keyId: string }[]>`delete from secret_mark returning key_id as "keyId"`;

/**
 * Checks that all processes of this database have the same PROMPTREG_SECRET, though nothing was encrypted yet. The first one marks it with its key.
 * @throws {DatabaseSetupError}
 */
async function requireSameSecret(
  sql: Sql,
  { keyId, known }: { keyId: string; known: string[] },
): Promise<void> {
  const [mark] = await sql<{ keyId: string }[]>`select key_id as "keyId" from secret_mark`;
  if (mark?.keyId === keyId) return;
  try {
    const { count } = await sql`
      insert into secret_mark (key_id) values (${keyId})
      on conflict (is_only) do update set key_id = excluded.key_id where secret_mark.key_id = any(${known})`;
    if (count > 0) return;
  } catch (error) {
    if ((error as { code?: string }).code !== readOnly) throw error;
    if (mark === undefined || known.includes(mark.keyId)) return;
  }
  throw new DatabaseSetupError(
    `PROMPTREG_SECRET is wrong: other processes of this database have another one. Its key is ${keyId}${mark ? `, theirs is ${mark.keyId}` : ""}. ` +
      `Set it to theirs. To replace it, see \`promptreg-server secret rotate --help\`. ${ifLost}`,
  );
}

/** A standby takes no writes. */
const readOnly = "25006";

/**
 * Checks whether webhook secrets were encrypted with this PROMPTREG_SECRET. It reads only both ends of an index, so it is fast
 * with any number of webhooks. If only some were, it logs a warning.
 * @throws {DatabaseSetupError} if none was, or other processes have another secret.
 */
export async function requireSecret(
  sql: Sql,
  { secrets, log }: { secrets: SecretBox; log: Logger },
): Promise<void> {
  const { keyId, second } = secrets;
  const known = [keyId, ...(second ? [second.keyId] : [])];
  const [found] = await sql<{ first: string | null; last: string | null; hasOwn: boolean }[]>`
    select min(secret_key_id) as first, max(secret_key_id) as last,
      exists (select from webhooks where deleted_at is null and secret_key_id = any(${known})) as "hasOwn"
    from webhooks where deleted_at is null`;
  // An import without the secret leaves the key id empty for webhooks that need a new secret.
  const other = [found?.last, found?.first].find((id) => id && !known.includes(id));
  if (other !== undefined && !found?.hasOwn) {
    throw new DatabaseSetupError(
      `PROMPTREG_SECRET is wrong: the webhook secrets of this database were encrypted with another one. Its key is ${keyId}, theirs is ${other}. ` +
        `Set it to the right one. If it was never set, that is in the file \`secret\` of the data folder. ${ifLost}`,
    );
  }
  await requireSameSecret(sql, { keyId, known });
  if (other !== undefined || found?.first === "") {
    log.warn("some webhooks need a new secret: theirs was encrypted with another PROMPTREG_SECRET");
  }
}
