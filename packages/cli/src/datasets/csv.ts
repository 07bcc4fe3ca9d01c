import { isDeepStrictEqual } from "node:util";
import type { Case } from "@promptreg/client";
import { assertionOfCell } from "@promptreg/core/rows";
import { InputError } from "../errors.ts";
import { csvRow } from "../terminal/csv.ts";

/** As many as the registry reads of a row. */
const maxColumns = 200;

const reserved = /^(key|expected|__expected|tags|weight|(assert|variables)\..*)$/s;
const isBlank = (cell: string) => cell.trim() === "";

/** Cases as rows of a table, with a column for each of their variables and assertions. */
export class CaseTable {
  readonly #variables = new Set<string>();
  readonly #assertions = new Set<string>();
  /** How many cases lose something of a part, because a table has only text. */
  readonly losses = new Map<string, number>();

  /** Looks at a case, before the first row is written. */
  add({ variables, assertions }: Case): void {
    for (const name of Object.keys(variables)) if (name.trim() === name && name) this.#variables.add(name);
    for (const { type } of assertions) if (type.trim() === type) this.#assertions.add(type);
    if (4 + this.#variables.size + this.#assertions.size <= maxColumns) return;
    throw new InputError(`A row of CSV can have ${maxColumns} cells. Use --format jsonl.`);
  }

  header(): string {
    const variables = [...this.#variables].map((name) => (reserved.test(name) ? `variables.${name}` : name));
    return csvRow([
      "key",
      "expected",
      "tags",
      "weight",
      ...variables,
      ...this.#types((type) => `assert.${type}`),
    ]);
  }

  row(one: Case): string {
    const { key, tags, weight } = one;
    const expected = textOf(one.expected);
    const variables = [...this.#variables].map((name) => [name, textOf(one.variables[name])] as const);
    const cells = this.#types((type) => {
      const found = one.assertions.find((each) => each.type === type);
      return textOf(found?.value ?? found?.threshold);
    });
    const kept: Partial<Case> = {
      key: isBlank(key) ? "" : key,
      expected: isBlank(expected) ? null : expected,
      messages: null,
      variables: Object.fromEntries(variables),
      assertions: this.#types((type, index) => [type, cells[index] ?? ""] as const)
        .filter(([, cell]) => !isBlank(cell))
        .map(([type, cell]) => assertionOfCell(type, cell)),
    };
    for (const [part, value] of Object.entries(kept)) {
      if (isDeepStrictEqual(value, one[part as keyof Case])) continue;
      this.losses.set(part, (this.losses.get(part) ?? 0) + 1);
    }
    return csvRow([
      key,
      expected,
      tags.join(" "),
      String(weight),
      ...variables.map(([, text]) => text),
      ...cells,
    ]);
  }

  #types = <T>(map: (type: string, index: number) => T): T[] => [...this.#assertions].map(map);
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
