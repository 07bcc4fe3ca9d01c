import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { parseDatabaseUrl, requestSettings } from "../../packages/server/src/database/connection.ts";
import { asUser, freePort, isRoot, pidsOf, postgresFolder, requireProgram } from "../debian.ts";

export interface Cluster {
  /** haproxy, which leads to whichever is the primary. */
  url: string;
  /** Each PostgreSQL itself. */
  nodeUrls: string[];
  /** Starts pgbouncer before haproxy, and gives the address of its pool. */
  startPooler(): Promise<string>;
  /** The name of the primary, once there is one and, with a synchronous standby, that too. */
  whole(): Promise<string>;
  /** Takes the primary away in one of three ways, and gives what brings it back. */
  break(how: Break, primary: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}
export const breaks = ["kill", "freeze", "switchover"] as const;
export type Break = (typeof breaks)[number];

/** Two PostgreSQL under Patroni, with etcd and haproxy. @throws {Error} that names the package that is missing. */
export async function startCluster(
  folder: string,
  { isSynchronous }: { isSynchronous: boolean },
): Promise<Cluster> {
  requireProgram("patroni", "patroni");
  requireProgram("etcd", "etcd-server");
  requireProgram("haproxy", "haproxy");
  const bin = postgresFolder();
  const children = new Set<ChildProcess>();
  const start = (command: string, args: string[], name: string) => {
    const log = join(folder, `${name}.log`);
    const child = spawn("sh", ["-c", `exec "$@" >>'${log}' 2>&1`, name, command, ...args], {
      stdio: "ignore",
      detached: true,
      env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder, LANG: "C.UTF-8" },
    });
    children.add(child);
    return child;
  };
  if (isRoot) execFileSync("chown", ["postgres", folder]);

  const [etcd, etcdPeers, proxy] = await Promise.all([freePort(), freePort(), freePort()]);
  const own = (port: number) => `http://127.0.0.1:${port}`;
  start(
    ...asUser("etcd", [
      "--data-dir",
      join(folder, "etcd"),
      "--enable-v2=true",
      "--listen-client-urls",
      own(etcd),
      "--advertise-client-urls",
      own(etcd),
      "--listen-peer-urls",
      own(etcdPeers),
      "--initial-advertise-peer-urls",
      own(etcdPeers),
      "--initial-cluster",
      `default=${own(etcdPeers)}`,
    ]),
    "etcd",
  );
  const nodes = await Promise.all(
    ["one", "two"].map(async (name) => ({ name, rest: await freePort(), port: await freePort() })),
  );
  const configOf = (name: string) => join(folder, `${name}.json`);
  for (const { name, rest, port } of nodes)
    writeFileSync(
      configOf(name),
      // JSON is YAML.
      JSON.stringify({
        scope: "promptreg",
        name,
        restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
        etcd3: { hosts: `127.0.0.1:${etcd}` },
        bootstrap: {
          dcs: {
            ttl: 20,
            loop_wait: 5,
            retry_timeout: 5,
            synchronous_mode: isSynchronous,
            postgresql: {
              use_pg_rewind: true,
              parameters: { max_connections: 100, fsync: "on", wal_log_hints: "on" },
            },
          },
          initdb: [{ encoding: "UTF8" }, "data-checksums"],
          pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
        },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: join(folder, name),
          bin_dir: bin,
          pgpass: join(folder, `${name}.pgpass`),
          authentication: {
            superuser: { username: "postgres", password: "a-password" },
            replication: { username: "replicator", password: "a-password" },
            rewind: { username: "postgres", password: "a-password" },
          },
          parameters: { unix_socket_directories: folder },
        },
      }),
    );
  writeFileSync(
    join(folder, "haproxy.cfg"),
    `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${proxy}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port, rest }) => `  server ${name} 127.0.0.1:${port} check port ${rest}`).join("\n")}
`,
  );
  const startNode = (name: string) => start(...asUser("patroni", [configOf(name)]), name);
  for (const { name } of nodes) startNode(name);
  start("haproxy", ["-f", join(folder, "haproxy.cfg")], "haproxy");

  /** Patroni's own health checks: `primary`, `sync` for a standby that may take over, `replica` for any. */
  const isNow = async ({ rest }: (typeof nodes)[number], role: "primary" | "sync" | "replica") =>
    (
      await fetch(`http://127.0.0.1:${rest}/${role}`, { signal: AbortSignal.timeout(1_000) }).catch(
        () => null,
      )
    )?.ok === true;
  async function whole(): Promise<string> {
    for (const endMs = performance.now() + 180_000; performance.now() < endMs; await delay(250))
      for (const primary of nodes) {
        const standby = nodes.find((node) => node !== primary) ?? primary;
        if ((await isNow(primary, "primary")) && (await isNow(standby, isSynchronous ? "sync" : "replica")))
          return primary.name;
      }
    throw new Error(`The cluster is not whole within three minutes: see the logs in ${folder}.`);
  }
  /** Patroni of a node, its PostgreSQL, and what they started. */
  const signal = (name: string, kind: string) => {
    for (const pattern of [configOf(name), `postgres -D ${join(folder, name)}`])
      for (const pid of pidsOf("-f", pattern)) for (const one of [pid, ...pidsOf("-P", pid)]) send(one, kind);
  };
  const urlOf = (port: number) => `postgres://postgres:a-password@127.0.0.1:${port}/postgres`;
  return {
    url: urlOf(proxy),
    nodeUrls: nodes.map(({ port }) => urlOf(port)),
    async startPooler() {
      requireProgram("pgbouncer", "pgbouncer");
      const pooler = await freePort();
      writeFileSync(
        join(folder, "pgbouncer.ini"),
        `[databases]
postgres = host=127.0.0.1 port=${proxy}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${pooler}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = 20
server_login_retry = 1
`,
      );
      writeFileSync(join(folder, "users.txt"), '"postgres" "a-password"\n');
      // What a server prints that finds its settings missing.
      const settings = Object.entries(requestSettings({ ...parseDatabaseUrl(urlOf(proxy)), isPooled: true }));
      const sql = postgres(urlOf(proxy), { max: 1 });
      for (const [name, value] of settings)
        await sql.unsafe(`alter role postgres in database postgres set ${name} = ${value}`);
      await sql.end();
      start(...asUser("pgbouncer", [join(folder, "pgbouncer.ini")]), "pgbouncer");
      return urlOf(pooler);
    },
    whole,
    async break(how, primary) {
      if (how === "switchover") {
        const other = nodes.find(({ name }) => name !== primary)?.name ?? "";
        const ctl = asUser("patronictl", [
          "-c",
          configOf(primary),
          "switchover",
          "--master",
          primary,
          "--candidate",
          other,
          "--force",
        ]);
        execFileSync(...ctl, {
          stdio: "ignore",
          env: { PATH: process.env["PATH"], HOME: folder, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" },
        });
        return async () => {};
      }
      signal(primary, how === "kill" ? "SIGKILL" : "SIGSTOP");
      return async () => {
        // A watchdog resets a machine that was frozen. Without one, Patroni may take the lead back when it goes on.
        signal(primary, "SIGKILL");
        startNode(primary);
      };
    },
    async stop() {
      for (const { name } of nodes) signal(name, "SIGKILL");
      for (const { pid } of children) if (pid !== undefined) send(`-${pid}`, "SIGKILL");
      await delay(500);
    },
  };
}

/** To a process that may have ended. */
function send(pid: string, kind: string): void {
  try {
    process.kill(Number(pid), kind);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
