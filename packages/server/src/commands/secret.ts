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

/** Lets the next start have another PROMPTREG_SECRET than the one that is lost. */
export const forget = () =>
  visit(async (sql) => {
    await sql.begin(async (sql) => {
      await forgetSecret(sql);
      await auditOperator(sql, { action: "secret.forget", target: "secret" });
    });
    process.stderr.write(
      "The next process that starts decides which PROMPTREG_SECRET all must have. Stop the others first: links in mails and cursors of the lost one end, and webhooks that were made with it need new secrets.\n",
    );
  });

/** Also of webhooks that were deleted: afterwards the former secret must open nothing. */
const takeSome = (sql: Sql, { keyId, after }: { keyId: string; after: string }) => sql<
  { id: string; secret: Buffer }[]
>`
  select id, secret_encrypted as secret from webhooks where id > ${after} and secret_key_id = ${keyId}
  order by id limit ${atOnce} for no key update`;
