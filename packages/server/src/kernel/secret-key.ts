import type { Logger } from "pino";
import { DatabaseSetupError } from "../database/connection.ts";
import type { Sql } from "../database/sql.ts";
import type { SecretBox } from "./secret-box.ts";

/**
 * Looks whether webhook secrets were encrypted under this PROMPTREG_SECRET: at both ends of an index, however many there
 * are. Where some were and some were not, those that were not are for the log.
 * @throws {DatabaseSetupError} where none was, saying what to do.
 */
export async function requireSecret(
  sql: Sql,
  { secrets, log }: { secrets: SecretBox; log: Logger },
): Promise<void> {
  const { keyId } = secrets;
  const [found] = await sql<{ first: string | null; last: string | null; hasOwn: boolean }[]>`
    select min(secret_key_id) as first, max(secret_key_id) as last,
      exists (select from webhooks where deleted_at is null and secret_key_id = ${keyId}) as "hasOwn"
    from webhooks where deleted_at is null`;
  // An import without the secret leaves no key id to those that need a new one.
  const other = [found?.last, found?.first].find((id) => id && id !== keyId);
  if (other !== undefined && !found?.hasOwn) {
    throw new DatabaseSetupError(
      `PROMPTREG_SECRET is not the one under which the webhook secrets of this database were encrypted: its key is ${keyId}, and theirs ${other}. ` +
        "Set it to that one, which, if it was not set, was in the file `secret` of the data folder. If it is lost, export, empty secretKeyIds " +
        "in manifest.json of the export, and import that into an empty database: everything then comes, and each webhook needs a new secret.",
    );
  }
  if (other !== undefined || found?.first === "") {
    log.warn("some webhooks need a new secret: theirs was encrypted under another PROMPTREG_SECRET");
  }
}
