import { readConfig, readSecret } from "../config.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import type { Sql } from "../database/sql.ts";
import { forgetSecret } from "../kernel/secrets/secret-key.ts";
import { openSecretBox } from "../kernel/secrets/secret-box.ts";
import { auditOperator, visit } from "./visit.ts";

/** Webhooks in one statement. */
const atOnce = 500;

/** Encrypts anew with PROMPTREG_SECRET what was encrypted with PROMPTREG_SECOND_SECRET. It can be run again, also beside servers. */
export const rotate = () =>
  visit(async (sql) => {
    const config = readConfig(process.env);
    const secrets = openSecretBox(readSecret(config), config.secondSecret);
    const former = secrets.second?.keyId;
    if (former === undefined)
      throw new DatabaseSetupError(
        "Set PROMPTREG_SECRET to the new secret, and PROMPTREG_SECOND_SECRET to the one that was used until now.",
      );
    let [done, after] = [0, ""];
    for (let count = atOnce; count === atOnce; done += count) {
      if (done > 0) process.stderr.write(`${done} …\n`);
      count = await sql.begin(async (sql) => {
        const rows = await takeSome(sql, { keyId: former, after });
        after = rows.at(-1)?.id ?? after;
        const encrypted = rows.map(({ secret }) => secrets.encrypt(secrets.decrypt(secret)).toString("hex"));
        await sql`
          update webhooks w set secret_encrypted = decode(given.secret, 'hex'), secret_key_id = ${secrets.keyId}
          from unnest(${rows.map(({ id }) => id)}::text[], ${encrypted}::text[]) given (id, secret) where w.id = given.id`;
        return rows.length;
      });
    }
    await auditOperator(sql, {
      action: "secret.rotate",
      target: secrets.keyId,
      data: { former, webhooks: done },
    });
    process.stderr.write(
      `Encrypted the secrets of ${done} webhooks anew. Links in mails and cursors of the former secret work as long as it is PROMPTREG_SECOND_SECRET.\n`,
    );
  });

/**
 * Goes on with PROMPTREG_SECRET where the one that was used until now is lost: what was encrypted with that needs new secrets.
 * @throws {DatabaseSetupError} if it is the one that was used.
 */
export const forget = () =>
  visit(async (sql) => {
    const { keyId } = openSecretBox(readSecret(readConfig(process.env)));
    const webhooks = await sql.begin(async (sql) => {
      const [former] = await forgetSecret(sql);
      if (former?.keyId === keyId)
        throw new DatabaseSetupError(
          "PROMPTREG_SECRET is the one that this database has: nothing is lost. To replace it, see `promptreg-server secret rotate --help`.",
        );
      const { count } = await sql`
        update webhooks set secret_key_id = '' where deleted_at is null and secret_key_id <> all (${["", keyId]})`;
      await auditOperator(sql, {
        action: "secret.forget",
        target: keyId,
        data: { former: former?.keyId ?? null, webhooks: count },
      });
      return count;
    });
    process.stderr.write(
      `Processes with this PROMPTREG_SECRET can start now. ${webhooks} webhooks need new secrets, and links in mails and cursors of the lost one have ended.\n`,
    );
  });

/** Also of webhooks that were deleted: afterwards the former secret must open nothing. */
const takeSome = (sql: Sql, { keyId, after }: { keyId: string; after: string }) => sql<
  { id: string; secret: Buffer }[]
>`
  select id, secret_encrypted as secret from webhooks where id > ${after} and secret_key_id = ${keyId}
  order by id limit ${atOnce} for no key update`;
