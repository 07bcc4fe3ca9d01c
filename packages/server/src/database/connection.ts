import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { userInfo } from "node:os";
import type { ConnectionOptions as TlsOptions } from "node:tls";
import type { PoolConfig } from "pg";
import type postgres from "postgres";
import { dial, type SocketAddress } from "./socket.ts";

/** An error that the operator can fix. The message says how, and contains no secret. */
export class DatabaseSetupError extends Error {
  override name = "DatabaseSetupError";
}

/** The address of a database and its login. */
export interface DatabaseAddress extends SocketAddress {
  user: string;
  password: string | undefined;
  database: string;
  /** How many a pool of requests has at most; that of a worker has two thirds. */
  connections: number;
  /** A pooler is there, whose connections have the settings of their role alone, and may be another session for each transaction. */
  isPooled: boolean;
  /** Whether a statement that was prepared by name can be run again by it. */
  prepares: boolean;
  /** Of our tables. */
  schema: string;
}

/** The schema of the job queue, beside that of our tables. */
export const queueSchemaOf = ({ schema }: Pick<DatabaseAddress, "schema">): string =>
  schema === usualSchema ? "graphile_worker" : `${schema}_queue`;

const usualSchema = "promptreg";

/** Of the 100 connections that PostgreSQL allows by default one process takes at most 23: one holds an embedded database. */
const connections = 9;
const connectionsOfPg = 5;

const connectTimeoutSeconds = 5;
const applicationName = "promptreg";

/** So that requests are answered again ten seconds after a network has swallowed their connections. */
const silenceMs = 9_000;

type Settings = Record<string, string>;

/**
 * Sent with the login. Every statement ends before the database has been silent for too long; whatever needs longer,
 * such as a migration, says so in its session, and is not watched. A transaction whose process is gone, or stands
 * still, lets go of its locks as soon.
 */
const sessionSettings = ({ silenceMs, schema, isPooled }: DatabaseAddress): Settings => ({
  // The queue is for workers, which never come through a pooler.
  search_path: [schema, "public", ...(isPooled ? [] : [queueSchemaOf({ schema })])].join(","),
  statement_timeout: `${Math.round((silenceMs * 8) / 9)}`,
  idle_in_transaction_session_timeout: `${silenceMs}`,
  TimeZone: "UTC",
});

/**
 * Our own statements find rows by indexes, and compile nothing. By default PostgreSQL reads a whole table, or a whole index to
 * merge it, where old statistics say that most of it is wanted. A statement that can only be served so still is.
 */
const planSettings: Settings = { enable_seqscan: "off", enable_mergejoin: "off", jit: "off" };

const optionsOf = (settings: Settings) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** What our statements need of a session. Behind a pooler its role has to have these settings. */
export const requestSettings = (address: DatabaseAddress): Settings => ({
  ...sessionSettings(address),
  ...planSettings,
});

const knownParameters = ["host", "port", "user", "password", "sslmode", "sslrootcert", "schema"];

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`, the one source for both drivers, so that
 * they cannot disagree. What is left out is libpq's default: this user, `localhost`, 5432, a database of the
 * user's name; `sslmode` is `disable` unless given. A Unix socket is `postgres:///database?host=/folder`. `schema` is that of our tables.
 * @throws {DatabaseSetupError} when malformed; the message names `variable`, and never quotes the URL.
 */
export function parseDatabaseUrl(text: string, variable = "DATABASE_URL"): DatabaseAddress {
  try {
    return readAddress(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DatabaseSetupError(
      `${variable} is not valid: ${error.message}. It looks like postgres://user:password@host:5432/database, ` +
        "with characters such as @ : / ? # % of a password percent-encoded (@ is %40).",
    );
  }
}

/** @throws {SyntaxError} */
function readAddress(text: string): DatabaseAddress {
  const url = readUrl(text);
  // A plus sign is itself in these parameters, a space only in web forms.
  const query = new URLSearchParams(url.search.replaceAll("+", "%2B"));
  if ([...query.keys()].some((name) => !knownParameters.includes(name))) {
    throw malformed(`the only known parameters are ${knownParameters.join(", ")}`);
  }
  const hostname = decode(url.hostname.replace(/[[\]]/g, ""));
  const host = query.get("host") || hostname || "localhost";
  const user = query.get("user") || decode(url.username) || systemUser();
  const address = {
    host,
    port: readPort(query.get("port") || url.port),
    user,
    password: query.get("password") || decode(url.password) || undefined,
    database: decode(url.pathname.slice(1)) || user,
    tls: readTls(query, host),
    silenceMs,
    connections,
    isPooled: false,
    prepares: true,
    schema: query.get("schema") || usualSchema,
  };
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(address.schema))
    throw malformed("schema is a name of lower-case letters, digits and _, at most 40");
  if (address.schema.startsWith("pg_")) throw malformed("schemas that begin with pg_ are PostgreSQL's own");
  if (host.includes(",") || (host.includes("/") && !host.startsWith("/"))) {
    throw malformed("the host is one name, one address or one folder that begins with /");
  }
  if ([host, user, address.password, address.database].some((part) => part?.includes("\0"))) {
    throw malformed("it contains a zero byte (%00)");
  }
  return address;
}

/** What postgres.js takes; its types do not know these. */
export interface PoolOptions extends postgres.Options<Record<string, never>> {
  socket(): Promise<Socket>;
  max_pipeline: number;
}

/** Options for `postgres(…)`: our own queries. */
export function postgresOptions(address: DatabaseAddress): PoolOptions {
  const { host, port, user, password, database } = address;
  // Only for its messages. Lists, because postgres.js splits a string at colons, also in IPv6 addresses; its types only
  // allow strings.
  const target: object = { host: [host], port: [port] };
  return {
    ...target,
    socket: () => dial(address),
    user,
    password,
    database,
    max: address.connections,
    connect_timeout: connectTimeoutSeconds,
    // By default it waits longer after each failure, up to 20 s, and requests with it, though the database be back.
    // Not at once: a database that starts refuses each attempt, and a request may cause one after the other.
    backoff: () => 0.1,
    // By default, the driver prints notices.
    onnotice: () => {},
    // By default it sends up to 100 statements behind each other. If the last of these is a `begin`, nothing keeps its connection for it:
    // it fails, and the transaction stays open for whoever comes next (version 3.4.9).
    max_pipeline: Number.MAX_SAFE_INTEGER,
    prepare: address.prepares,
    connection: {
      application_name: applicationName,
      // Poolers refuse settings in a login.
      ...(!address.isPooled && { options: optionsOf(requestSettings(address)) }),
    },
  };
}

/** Options for `postgres(…)` in a worker: a plan for any parameters. */
export function workOptions(address: DatabaseAddress): PoolOptions {
  const options = postgresOptions(address);
  const max = Math.ceil((address.connections * 2) / 3);
  if (address.isPooled) return { ...options, max };
  const settings = `${options.connection?.options} -c plan_cache_mode=force_generic_plan`;
  return { ...options, max, connection: { ...options.connection, options: settings } };
}

/** Options for a `Pool` or `Client` of `pg`: graphile-worker and migrations, at most 5 connections. */
export function pgOptions(address: DatabaseAddress): PoolConfig {
  const { tls, silenceMs: _, connections: __, isPooled, prepares: ___, schema: ____, ...login } = address;
  return {
    ...login,
    ssl: tls,
    keepAlive: true,
    max: connectionsOfPg,
    connectionTimeoutMillis: Math.min(connectTimeoutSeconds * 1000, address.silenceMs),
    application_name: applicationName,
    ...(!isPooled && { options: optionsOf(sessionSettings(address)) }),
  };
}

function readUrl(text: string): URL {
  if (!/^postgres(ql)?:\/\//i.test(text)) throw malformed("it does not begin with postgres://");
  // `user@/database` is PostgreSQL's way to leave the host out, which URL does not know.
  const url = URL.parse(text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?#]|$)/, "$1localhost"));
  if (!url) throw malformed("it cannot be parsed");
  if (url.hash) throw malformed("it contains a bare #");
  return url;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw malformed("it has no user, and the system names none either");
  }
}

function readPort(text: string): number {
  const port = text === "" ? 5432 : Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw malformed("the port must be 1 to 65535");
  return port;
}

/**
 * The modes as libpq defines them, but for `prefer`: `pg` cannot fall back to plain text, and a fallback
 * would let anyone in between switch encryption off, so here it means `require`. A Unix socket is never
 * encrypted.
 */
function readTls(query: URLSearchParams, host: string): false | TlsOptions {
  const mode = query.get("sslmode") ?? "disable";
  const rootPath = query.get("sslrootcert");
  if (mode === "disable" || host.startsWith("/")) return false;
  // Both drivers hand these on to tls.connect; without `host` it would compare an address with "localhost".
  const options: TlsOptions = { host, ...(rootPath ? { ca: readCertificate(rootPath) } : {}) };
  const acceptAnyName = { ...options, checkServerIdentity: () => undefined };
  switch (mode) {
    case "prefer":
    case "require":
      return rootPath ? acceptAnyName : { ...options, rejectUnauthorized: false };
    case "verify-ca":
      // Any public authority vouches for somebody, so without its own root this would verify nothing.
      if (!rootPath) throw malformed("sslmode=verify-ca needs sslrootcert=<file>");
      return acceptAnyName;
    case "verify-full":
      return options;
    default:
      throw malformed("sslmode is one of disable, prefer, require, verify-ca, verify-full");
  }
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw malformed("the file named by sslrootcert cannot be read");
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw malformed("a % is not followed by two hexadecimal digits");
  }
}

const malformed = (problem: string) => new SyntaxError(problem);
