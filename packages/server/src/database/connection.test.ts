import * as fs from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  DatabaseSetupError,
  parseDatabaseUrl,
  pgOptions,
  postgresOptions,
  workOptions,
} from "./connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
import { openJobPool } from "./pool.ts";
import { openRenewingPool } from "./renewal.ts";
import { openGate } from "../../test/gate.ts";

const certificate = fileURLToPath(new URL("../kernel/reach/fixtures/localhost.crt.pem", import.meta.url));
const certificateKey = certificate.replace("crt", "key");

describe("a database URL", () => {
  const complete = {
    host: "db.example",
    port: 5433,
    user: "ada",
    password: "p",
    database: "reg",
    tls: false,
    silenceMs: 9_000,
    connections: 9,
    isPooled: false,
    prepares: true,
    schema: "promptreg",
  };
  const me = userInfo().username;

  test.each([
    ["postgres://ada:p@db.example:5433/reg", complete],
    ["postgresql://ada:p@db.example:5433/reg?sslmode=disable", complete],
    [
      "postgres://a%40b:%2F%3A%25%23+%C3%A4@db.example:5433/r%2Fg",
      {
        ...complete,
        user: "a@b",
        password: "/:%#+ä",
        database: "r/g",
      },
    ],
    ["postgres://ada:p@db.example:5433/reg?schema=prompts_2", { ...complete, schema: "prompts_2" }],
    ["postgres://ada:p@db.example/reg?port=65535", { ...complete, port: 65_535 }],
    ["postgres://ada:p@db.example/reg?port=1", { ...complete, port: 1 }],
    [
      `postgres://ada:p@db.example:5433/reg?schema=${"s".repeat(40)}`,
      { ...complete, schema: "s".repeat(40) },
    ],
    ["postgres://ada@[::1]/reg", { ...complete, host: "::1", port: 5432, password: undefined }],
    [
      "postgres://",
      { ...complete, host: "localhost", port: 5432, user: me, password: undefined, database: me },
    ],
    ["postgres://ada@/reg", { ...complete, host: "localhost", port: 5432, password: undefined }],
    [
      "postgres:///reg?host=/run/pg&port=5433&user=ada&password=a+b",
      { ...complete, host: "/run/pg", password: "a+b" },
    ],
    ["postgres://ada:p@/reg?host=/run/pg&port=5433&sslmode=require", { ...complete, host: "/run/pg" }],
    ["postgres://ada:p@%2Frun%2Fpg:5433/reg", { ...complete, host: "/run/pg" }],
  ])("%s is read as PostgreSQL's own programs read it", (url, address) => {
    expect(parseDatabaseUrl(url)).toEqual(address);
  });

  test.each([
    ["", "does not begin with postgres://"],
    ["mysql://ada:hunter2@db.example/reg", "does not begin with postgres://"],
    ["postgres://ada:hun/ter2@db.example/reg", "cannot be parsed"],
    ["postgres://ada:12#hunter2@db.example/reg", "bare #"],
    ["postgres://ada:12?hunter2=1@db.example/reg", "only known parameters are host"],
    ["postgres://ada:hunter2%zz@db.example/reg", "% is not followed"],
    ["postgres://ada:hunter2%00@db.example/reg", "zero byte"],
    ["postgres://ada:hunter2@db.example:99999/reg", "cannot be parsed"],
    ["postgres://ada:hunter2@db.example/reg?port=0", "port must be 1 to 65535"],
    ["postgres://ada:hunter2@db.example/reg?port=65536", "port must be 1 to 65535"],
    ["postgres://ada:hunter2@db.example/reg?port=1.5", "port must be 1 to 65535"],
    ["postgres://ada:hunter2@db.example/reg?schema=pg_toast", "are PostgreSQL's own"],
    ["xpostgres://ada:hunter2@db.example/reg", "does not begin with postgres://"],
    ["postgres://ada:hunter2@a.example,b.example/reg", "one name"],
    ["postgres://ada:hunter2@a%2Fb/reg", "one name"],
    ["postgres://ada:hunter2@db.example/reg?sslmode=no-verify", "sslmode is one of disable"],
    ["postgres://ada:hunter2@db.example/reg?sslmode=verify-ca", "needs sslrootcert"],
    ["postgres://ada:hunter2@db.example/reg?sslmode=require&sslrootcert=/none", "cannot be read"],
  ])("%s is refused, and the password kept out of the message", (url, reason) => {
    let refusal: unknown;
    try {
      parseDatabaseUrl(url);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(DatabaseSetupError);
    expect((refusal as Error).message).toContain(reason);
    expect((refusal as Error).message).not.toMatch(/hunter|ter2/);
  });
});

describe("both drivers", () => {
  let folder: string;
  let database: EmbeddedDatabase;

  beforeAll(async () => {
    folder = fs.mkdtempSync(join(tmpdir(), "promptreg-connection-"));
    database = await startEmbedded(folder);
  }, 30_000);

  afterAll(async () => {
    await database?.stop();
    fs.rmSync(folder, { recursive: true });
  });

  async function askPostgres(url: string, statement: string): Promise<unknown> {
    const sql = postgres({ ...postgresOptions(parseDatabaseUrl(url)), max: 1 });
    try {
      return (await sql.unsafe(statement))[0];
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async function askPg(url: string, statement: string): Promise<unknown> {
    const client = new pg.Client(pgOptions(parseDatabaseUrl(url)));
    try {
      await client.connect();
      return (await client.query(statement)).rows[0];
    } finally {
      await client.end();
    }
  }

  const drivers = [
    ["postgres", askPostgres],
    ["pg", askPg],
  ] as const;

  test.each(drivers)("%s opens sessions with our settings", async (_, ask) => {
    const names = ["search_path", "statement_timeout", "idle_in_transaction_session_timeout", "TimeZone"];
    const columns = [...names, "application_name"].map((name) => `current_setting('${name}') as "${name}"`);
    expect(await ask(database.url, `select ${columns.join(", ")}`)).toEqual({
      search_path: "promptreg,public,graphile_worker",
      statement_timeout: "8s",
      idle_in_transaction_session_timeout: "9s",
      TimeZone: "UTC",
      application_name: "promptreg",
    });
  });

  test("together they take at most 20 connections: of requests, of a worker, and of its queue", () => {
    const address = parseDatabaseUrl(database.url);
    const pools = [postgresOptions(address), workOptions(address), pgOptions(address)];
    expect(pools.map(({ max }) => max)).toEqual([9, 6, 5]);
  });

  test("wait five seconds for a connection, or as long as a database may be silent", () => {
    const address = parseDatabaseUrl(database.url);
    const waits = [address, { ...address, silenceMs: 900 }].map(
      (one) => pgOptions(one).connectionTimeoutMillis,
    );
    expect(waits).toEqual([5_000, 900]);
  });

  describe("with TLS:", () => {
    const isEncrypted = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

    beforeAll(async () => {
      fs.writeFileSync(foreignRootPath, rootCertificates[0]!);
      fs.copyFileSync(certificate, join(folder, "postgres/server.crt"));
      fs.copyFileSync(certificateKey, join(folder, "postgres/server.key"));
      fs.chmodSync(join(folder, "postgres/server.key"), 0o600);
      await askPg(database.url, "alter system set ssl = on");
      await askPg(database.url, "select pg_reload_conf()");
      // A reload takes a moment; until then nothing encrypted is answered.
      await vi.waitFor(() => askPg(`${database.url}?sslmode=require`, "select 1"));
    });

    afterAll(() => fs.rmSync(foreignRootPath));

    const root = `sslrootcert=${encodeURIComponent(certificate)}`;
    const foreignRootPath = join(tmpdir(), `promptreg-foreign-root-${process.pid}.pem`);
    const foreignRoot = `sslrootcert=${encodeURIComponent(foreignRootPath)}`;
    // The certificate names localhost and 127.0.0.1; 127.1 is the same place by a name that it does not.
    const welcomed: [host: string, parameters: string, ssl: boolean][] = [
      ["127.0.0.1", "sslmode=disable", false],
      ["127.0.0.1", "sslmode=prefer", true],
      ["127.0.0.1", "sslmode=require", true],
      ["127.1", `sslmode=require&${root}`, true],
      ["127.1", `sslmode=verify-ca&${root}`, true],
      ["127.0.0.1", `sslmode=verify-full&${root}`, true],
      ["localhost", `sslmode=verify-full&${root}`, true],
    ];
    const refused: [host: string, parameters: string, reason: RegExp][] = [
      ["127.1", `sslmode=verify-full&${root}`, /altnames/],
      ["127.0.0.1", "sslmode=verify-full", /self-signed certificate/],
      ["127.0.0.1", `sslmode=require&${foreignRoot}`, /self-signed certificate/],
      ["127.0.0.1", `sslmode=verify-ca&${foreignRoot}`, /self-signed certificate/],
    ];

    test("a connection that is lost is noticed, and one on which nothing is asked is kept", {
      tags: "long",
    }, async () => {
      const gate = await openGate(`${database.url}?sslmode=require`);
      const address = { ...parseDatabaseUrl(gate.url), silenceMs: 900 };
      const sql = openRenewingPool({ ...postgresOptions(address), max: 1 });
      const pool = openJobPool(address, () => {});
      const pids = async () => {
        const [[one], two] = await Promise.all([
          sql<{ pid: number }[]>`select pg_backend_pid() as pid`,
          pool.query<{ pid: number }>("select pg_backend_pid() as pid"),
        ]);
        return [one?.pid, two.rows[0]?.pid];
      };
      const before = await pids();
      // For as long as silence would be taken for a loss.
      await askPostgres(database.url, "select pg_sleep(1.2)");
      expect(await pids()).toEqual(before);
      gate.freeze();
      const lost = { code: "CONNECTION_LOST" };
      await Promise.all([
        expect(sql`select`).rejects.toMatchObject(lost),
        expect(pool.query("select")).rejects.toMatchObject(lost),
      ]);
      expect(await pids()).not.toContain(before[0]);
      await Promise.all([sql.end({ timeout: 1 }), pool.end()]);
      gate.close();
    });

    describe.each(drivers)("%s", (_driver, ask) => {
      const askAt = (host: string, parameters: string) =>
        ask(`${database.url.replace("127.0.0.1", host)}?${parameters}`, isEncrypted);

      test.each(welcomed)("enters %s with %s, encrypted: %s", async (host, parameters, ssl) => {
        expect(await askAt(host, parameters)).toEqual({ ssl });
      });

      test.each(refused)("does not enter %s with %s: %s", async (host, parameters, reason) => {
        await expect(askAt(host, parameters)).rejects.toThrow(reason);
      });
    });
  });
});
