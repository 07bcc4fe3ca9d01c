import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { contract, listOperations } from "@promptreg/core";
import { describe, expect, test } from "vitest";
import { handlers } from "./groups/index.ts";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** The files of a folder, as paths below `packages`, without tests, scenes and seeds. */
const sourcesOf = (folder: string, ending = ".ts") =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !/(\.test|\/scenes|\/seeds)\.ts$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();

const read = (file: string) => readFileSync(join(packages, file), "utf8");

interface Import {
  /** What is imported: a path below `packages`, or the name of a package. */
  from: string;
  isTypeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const code = read(file);
  const named = [...code.matchAll(/^(?:import|export)\s+(type\s)?([^;"'`]*?)\s*\bfrom\s+"([^"]+)"/gm)].map(
    ([, type, names = "", from = ""]) => ({ from, isTypeOnly: type !== undefined || hasOnlyTypes(names) }),
  );
  const whole = [...code.matchAll(/\bimport\(?\s*"([^"]+)"/g)].map(([, from = ""]) => ({
    from,
    isTypeOnly: false,
  }));
  return [...named, ...whole].map(({ from, isTypeOnly }) => ({
    from: from.startsWith(".")
      ? relative(packages, join(packages, dirname(file), from)).replaceAll("\\", "/")
      : from,
    isTypeOnly,
  }));
}

/** `{ type A, type B }` */
const hasOnlyTypes = (names: string) =>
  /^\{.*\}$/s.test(names) &&
  names
    .slice(1, -1)
    .split(",")
    .every((name) => /^\s*(type\s|$)/.test(name));

const groupOf = (path: string) => /^server\/src\/groups\/([^/]+)\//.exec(path)?.[1];

/** Every import of the given files that breaks a rule, as `file -> import`. */
const offences = (files: readonly string[], isOffence: (file: string, imported: Import) => boolean) =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => isOffence(file, imported))
      .map(({ from }) => `${file} -> ${from}`),
  );

describe("imports:", () => {
  const server = sourcesOf("server/src");

  test("this test finds imports of every form", () => {
    expect(importsOf("server/src/groups/evals/target.ts").map(({ from }) => from)).toContain(
      "server/src/groups/prompts/index.ts",
    );
    expect(importsOf("server/src/program.ts").map(({ from }) => from)).toContain(
      "server/src/commands/serve.ts",
    );
    expect(server.length).toBeGreaterThan(50);
  });

  test("a group imports another only through its index", () => {
    const broken = offences(server, (file, { from }) => {
      const [own, other] = [groupOf(file), groupOf(from)];
      return (
        own !== undefined && other !== undefined && own !== other && !from.endsWith(`/${other}/index.ts`)
      );
    });
    expect(broken).toEqual([]);
  });

  test("no group imports webhooks, which only reads events", () => {
    const allowed = ["server/src/app.ts", "server/src/worker.ts", "server/src/groups/index.ts"];
    const broken = offences(
      server,
      (file, { from }) =>
        groupOf(from) === "webhooks" && groupOf(file) !== "webhooks" && !allowed.includes(file),
    );
    expect(broken).toEqual([]);
  });

  test("the kernel and the database import no group", () => {
    const below = server.filter((file) => /^server\/src\/(kernel|database)\//.test(file));
    expect(offences(below, (_, { from }) => from.startsWith("server/src/groups/"))).toEqual([]);
  });

  test("production code imports nothing that is for tests", () => {
    const isForTests = (file: string) =>
      file.startsWith("server/src/testing/") || /\/(scenes|seeds)\.ts$/.test(file);
    expect(offences(server, (file, { from }) => isForTests(from) && !isForTests(file))).toEqual([]);
  });

  test("core does no input or output: only signatures and archives for Node import Node's modules", () => {
    const core = sourcesOf("core/src").filter(
      (file) => !/^core\/src\/(webhooks\/node\.ts$|archives\/)/.test(file),
    );
    expect(offences(core, (_, { from }) => from.startsWith("node:"))).toEqual([]);
  });

  test("the code for receivers imports only types from the rest of core", () => {
    const isElsewhere = (from: string) => !from.startsWith("core/src/webhooks/") && from !== "node:crypto";
    const files = sourcesOf("core/src/webhooks");
    expect(offences(files, (_, { from, isTypeOnly }) => !isTypeOnly && isElsewhere(from))).toEqual([]);
  });

  test("the client imports only types from the contract, except for validation and tests", () => {
    const broken = offences(
      sourcesOf("client/src").filter((file) => !/^client\/src\/(validate\.ts|testing\/)/.test(file)),
      (_, { from, isTypeOnly }) => (from === "@promptreg/core" && !isTypeOnly) || from.startsWith("core/"),
    );
    expect(broken).toEqual([]);
  });
});

describe("SQL", () => {
  /** Other files than `*.sql.ts`, each with its reason. */
  const allowed: [pattern: RegExp, reason: string][] = [
    [/^server\/src\/(kernel|database)\//, "their work is SQL"],
    [/^server\/src\/commands\//, "an operator's command is one statement and its message"],
    [/[/-]target\.ts$/, "a target is the statement that finds it"],
    [/^server\/src\/generated\/programs\.ts$/, "examples for readers, in the documentation"],
  ];

  test("has its own files", () => {
    const withSql = sourcesOf("server/src").filter((file) => /\bsql(<[^`]*>)?`|\.unsafe\(/.test(read(file)));
    const astray = withSql.filter(
      (file) => !file.endsWith(".sql.ts") && !allowed.some(([pattern]) => pattern.test(file)),
    );
    expect(astray).toEqual([]);
    expect(allowed.filter(([pattern]) => !withSql.some((file) => pattern.test(file)))).toEqual([]);
  });

  test("gets the time only from clock(), so that tests can set it, and servers with different clocks agree", () => {
    /** Lines that get the time from elsewhere, each with its reason. */
    const exceptions: [file: string, piece: string, reason: string][] = [
      ["server/migrations/0001_foundation.sql", "statement_timestamp()", "clock() itself"],
      ["server/src/testing/world.sql.ts", "statement_timestamp()", "clock() itself, set by tests"],
      [
        "server/src/groups/webhooks/drain.sql.ts",
        "now() + ",
        "run_at is compared with the now() of the job queue",
      ],
      [
        "server/src/groups/notifications/mail.sql.ts",
        "now() + interval '10 seconds'",
        "run_at is compared with the now() of the job queue",
      ],
      [
        "server/src/groups/notifications/mail.sql.ts",
        "locked_at < now()",
        "the job queue locks by its own now()",
      ],
      [
        "server/src/backlog.sql.ts",
        "now() - min(run_at)",
        "run_at is compared with the now() of the job queue",
      ],
      ["server/src/backlog.sql.ts", "run_at <= now()", "the same"],
      [
        "server/src/groups/webhooks/deliveries.sql.ts",
        "now() - least(now(), min(xact_start))",
        "how long a transaction has been open, in PostgreSQL's own time",
      ],
      [
        "server/src/database/statistics.ts",
        "last_analyze < now()",
        "PostgreSQL writes down by its own clock when it analysed a table",
      ],
      [
        "server/src/generated/programs.ts",
        "interval '60 days'",
        "an example for readers, in the documentation",
      ],
    ];
    const time =
      /(?<![\w.])((now|(clock|statement|transaction)_timestamp|timeofday)\s*\(|(current_(timestamp|date|time)|localtime(stamp)?)\b)/i;
    const files = [...sourcesOf("server/src"), ...sourcesOf("server/migrations", ".sql")];
    const asking = files.flatMap((file) =>
      read(file)
        .split("\n")
        .filter((line) => !/^\s*(--|\*|\/\*|\/\/)/.test(line) && time.test(line))
        .map((line) => ({ file, line: line.trim() })),
    );
    const isMeant = ({ file, line }: { file: string; line: string }) =>
      exceptions.some(([where, piece]) => where === file && line.includes(piece));
    expect(asking.filter((line) => !isMeant(line))).toEqual([]);
    expect(asking).toHaveLength(exceptions.length);
  });

  test("gets no time from a process: groups and kernel do not read it", () => {
    const asking = sourcesOf("server/src").filter((file) => /\/(groups|kernel)\//.test(file));
    expect(asking.filter((file) => /Date\.now\(|new Date\(\)/.test(read(file)))).toEqual([]);
  });
});

test("ARCHITECTURE.md names no file or folder that is not there", () => {
  const text = readFileSync(join(packages, "../ARCHITECTURE.md"), "utf8");
  const paths = Array.from(text.matchAll(/`([a-z]+\/[\w./-]+)`/g), ([, path = ""]) => path);
  const roots = ["..", ".", "core", "server", "core/src", "server/src", "server/src/kernel"];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !roots.some((root) => existsSync(join(packages, root, path))))).toEqual([]);
});

describe("who owns a thing", () => {
  test("is in owner_id, if others can see the thing, so that the next test finds who compares it", () => {
    // What has no visibility is an account's own, such as a star, and names the account as it likes.
    const statements = sourcesOf("server/migrations", ".sql").flatMap((file) => read(file).split(";"));
    const tables = Map.groupBy(statements, (text) => /\b(?:create|alter) table (\w+)/.exec(text)?.[1]);
    const isVisible = ([, texts]: [unknown, string[]]) =>
      /(^|add|column)\s+visibility\b/m.test(texts.join("\n"));
    const owners = [...tables].filter(isVisible).map(([table, texts]) => ({
      table,
      columns: Array.from(
        texts.join("\n").matchAll(/(\w+) text[^,]* references users\b/g),
        ([, name]) => name,
      ),
    }));
    expect(owners).toContainEqual({ table: "prompts", columns: ["owner_id"] });
    expect(owners.filter(({ columns }) => columns.some((column) => column !== "owner_id"))).toEqual([]);
  });

  test("is decided by kernel/accounts/ownership.ts alone: other files compare an owner only as a part of addresses", () => {
    /** Files whose statements find prompts by the name or the account that their address begins with, or collections, makes and posts by an account. What goes with an account is found by it, too. */
    const addresses = [
      "commands/delete-user/erase.sql.ts",
      "commands/delete-user/requests.sql.ts",
      "commands/users.ts",
      "groups/collections/list.sql.ts",
      "groups/makes/list.sql.ts",
      "groups/posts/list.sql.ts",
      "groups/posts/posts.sql.ts",
      "groups/posts/series.sql.ts",
      "groups/prompts/create.sql.ts",
      "groups/prompts/fork.sql.ts",
      "groups/prompts/list-changes.sql.ts",
      "groups/prompts/list.sql.ts",
      "groups/prompts/target.ts",
      "groups/prompts/update.sql.ts",
      "groups/search/rank.sql.ts",
      "groups/search/suggest.sql.ts",
      "groups/users/users.sql.ts",
      "groups/webhooks/webhooks.sql.ts",
      "kernel/accounts/ownership.ts",
    ].map((file) => `server/src/${file}`);
    const join = /\.id = \w+\.owner_id\b/g;
    const comparisons = [
      /\bowner_id\s*([=<>!]|(in|is|not)\b)/,
      /([=<>]|\bfrom)\s*(\w+\.)?owner_id\b/,
      /ownerId [!=]==|[!=]== \S*ownerId/,
      // Other roles of a kind, such as its author, have a column of their own.
      /\b(caller|viewer|account)\??\.id [!=]== (?!authorId\b)|(?<!\bauthorId) [!=]== (caller|viewer|account)\??\.id\b/,
    ];
    const deciding = sourcesOf("server/src").filter((file) => {
      const code = read(file).replace(join, "");
      return comparisons.some((comparison) => comparison.test(code));
    });
    expect(deciding).toEqual(addresses);
  });
});

describe("the handler of an operation", () => {
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

  /** `prompts.labels.put` is `put` of prompts/labels.ts; `prompts.create` of prompts/create.ts or prompts/prompts.ts. */
  function filesFor(id: string): string[] {
    const [group = "", ...rest] = id.split(".").map(kebab);
    const resource = rest.slice(0, -1);
    const names = resource.length === 0 ? [rest.join(), group] : [resource.join("-"), resource.join("/")];
    return names.map((name) => `server/src/groups/${group}/${name}.ts`);
  }

  test.each(listOperations(contract).map(({ id }) => id))(
    "%s is in the file that its id names",
    async (id) => {
      const sources = sourcesOf("server/src/groups");
      const files = filesFor(id).filter((file) => sources.includes(file));
      const verb = id.split(".").at(-1) ?? "";
      const modules = await Promise.all(files.map((file) => import(join(packages, file)) as Promise<object>));
      const handler = id
        .split(".")
        .reduce((node: unknown, name) => (node as Record<string, unknown>)[name], handlers);
      expect(handler).toBeDefined();
      expect(modules.map((module) => (module as Record<string, unknown>)[verb])).toContain(handler);
    },
  );
});

test("the list of decisions has each of them", () => {
  const folder = join(packages, "../docs/decisions");
  const list = readFileSync(join(folder, "README.md"), "utf8");
  const decisions = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  expect(decisions.filter((name) => !list.includes(`](${name})`))).toEqual([]);
});
