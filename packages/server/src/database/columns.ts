import type { Fragment, Sql } from "./sql.ts";

/** What a request puts into a piece: a parameter, or a fragment. */
type Hole<Given> = (sql: Sql, given: Given) => unknown;

/**
 * SQL that is put together once, when its module is loaded: a request only fills its holes. The driver flattens nested
 * fragments for each request, but a piece inside another costs nothing.
 */
export interface Piece<Given = unknown> {
  (sql: Sql, ...given: unknown extends Given ? [] : [Given]): Fragment;
  /** As a part of another piece, whatever that one is given. */
  (sql: Sql, given: Given): Fragment;
  readonly texts: readonly string[];
  readonly holes: readonly Hole<Given>[];
}

/** A part of a piece: SQL, which is never a parameter, another piece, or a hole. */
export type Part<Given> = string | Hole<Given>;

/**
 * How each field of `T` is printed: by SQL, or by an object like itself. An optional field can be left out. As what ends
 * in `At` is a timestamp, it has to be printed as one.
 */
export type Fields<T, Given = unknown> = { [K in keyof T]: Field<K, Exclude<T[K], undefined>, Given> };

type Field<K, V, Given> =
  | (K extends "at" | `${string}At` ? `iso(${string})` | "null" : string)
  | Hole<Given>
  | ([V] extends [readonly unknown[]] ? never : [V] extends [object] ? Fields<V, Given> : never);

/** Makes a piece of a template; call it where the module is loaded, never for a request. */
export const piece = <Given = unknown>(texts: TemplateStringsArray, ...parts: Part<Given>[]): Piece<Given> =>
  join(texts.flatMap((text, nth) => (nth === 0 ? [text] : [parts[nth - 1] as Part<Given>, text])));

/**
 * `limit`, with the number in the text. Call it where the module is loaded. Statements of the worker are planned for any
 * parameters: for a parameter PostgreSQL would expect a tenth of all rows.
 */
export const limitTo = (rows: number): Piece => piece`limit ${String(rows)}`;

/** The columns of a statement that prints a `T`. A field that is missing, unknown or misspelt does not compile. */
export const columns = <T, Given = unknown>(fields: Fields<T, Given>): Piece<Given> =>
  join(listed(fields, (name, parts) => [...parts, ` as "${name}"`]));

/** The expression that prints a `T` as JSON; where it cannot be null, a field takes the bare object instead. */
export const object = <T, Given = unknown>(fields: Fields<T, Given>): Piece<Given> => join(built(fields));

const built = <Given>(fields: object): Part<Given>[] => [
  "json_build_object(",
  ...listed<Given>(fields, (name, parts) => [`'${name}', `, ...parts]),
  ")",
];

const listed = <Given>(
  fields: object,
  print: (name: string, parts: Part<Given>[]) => Part<Given>[],
): Part<Given>[] =>
  (Object.entries(fields) as [string, Part<Given> | object][]).flatMap(([name, field], nth) => [
    nth === 0 ? "" : ", ",
    ...print(name, typeof field === "object" ? built(field) : [field]),
  ]);

/** The driver keeps what it knows of a template by its identity, so that there must be one for all requests. */
function join<Given>(parts: readonly Part<Given>[]): Piece<Given> {
  const texts = [""];
  const holes: Hole<Given>[] = [];
  const add = (text: string) => texts.push((texts.pop() ?? "") + text);
  for (const part of parts) {
    if (typeof part === "string") add(part);
    else if (isPiece(part)) {
      const [first = "", ...others] = part.texts;
      add(first);
      texts.push(...others);
      holes.push(...part.holes);
    } else {
      holes.push(part);
      texts.push("");
    }
  }
  const template = Object.assign([...texts], { raw: texts });
  const fill: Hole<Given> = (sql, given) =>
    sql(template, ...holes.map((hole) => hole(sql, given) as string | Fragment));
  return Object.assign(fill, { texts, holes }) as Piece<Given>;
}

const isPiece = <Given>(hole: Hole<Given>): hole is Hole<Given> & Pick<Piece<Given>, "texts" | "holes"> =>
  "texts" in hole;
