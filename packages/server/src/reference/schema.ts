import { type JsonSchema, nameOf } from "../kernel/openapi/shape.ts";
import { type Html, html, inline } from "./html.ts";

/** The pages of schemas, by the letters with which their names begin: all on one would be too much to open. */
export const schemaPages = { "A–L": /^[A-L]/i, "M–Z": /^[M-Z]/i } as const;
export const schemaPath = (letters: string): string =>
  `/reference/schemas-${letters.toLowerCase().replace("–", "-")}`;

/** Where a named schema is described. */
export const hrefOfSchema = (name: string): string =>
  `${schemaPath(schemaPages["A–L"].test(name) ? "A–L" : "M–Z")}#schema-${name}`;

/** What a value can be, in a few words: `string`, `File[]`, `"pass" | "fail" | null`. */
export function describeType(schema: JsonSchema, isLinked = true): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return isLinked ? html`<a href="${hrefOfSchema(name)}">${name}</a>` : html`${name}`;
  }
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}`;
  if (schema.anyOf) return join(schema.anyOf.map((choice) => describeType(choice, isLinked)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
  return join(
    types.map((type) => {
      if (type === "array") {
        const items = schema.items ?? {};
        const isCompound = Boolean(items.anyOf || items.enum);
        const item = describeType(items, isLinked);
        return isCompound ? html`(${item})[]` : html`${item}[]`;
      }
      const values = schema.additionalProperties;
      const isMap = type === "object" && typeof values === "object" && schema.properties === undefined;
      return isMap ? html`map of ${describeType(values, isLinked)}` : html`${type}`;
    }),
  );
}

const join = (types: readonly Html[]): Html =>
  html`${types.map((type, i) => html`${i > 0 && " | "}${type}`)}`;

/** The bounds of a value that people need to know: lengths, ranges, counts, forms. */
function describeBounds(schema: JsonSchema): string[] {
  const own = schema.anyOf?.find((choice) => choice.type !== "null") ?? schema;
  const between = (min: number | undefined, max: number | undefined, unit: string) => {
    if (min === undefined && max === undefined) return [];
    if (min === undefined) return [`at most ${max}${unit}`];
    return max === undefined || max === 2_147_483_647 ? [`from ${min}${unit}`] : [`${min} to ${max}${unit}`];
  };
  return [
    ...between(own.minimum, own.maximum, ""),
    ...between(own.minLength, own.maxLength, " characters"),
    ...between(own.minItems, own.maxItems, " items"),
    ...(own.format === undefined ? [] : [own.format]),
    ...(own.pattern === undefined || own.format !== undefined ? [] : [describePattern(own.pattern)]),
  ];
}

/** Identifiers by their prefix, as people know them; any other form as it is. */
function describePattern(pattern: string): string {
  const prefix = /^\^([a-z]+_)\[[^\]]*\]\{26\}\$$/.exec(pattern)?.[1];
  return prefix === undefined ? `\`${pattern}\`` : `\`${prefix}\` and 26 characters`;
}

export interface Field {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
  description?: string | undefined;
}

export const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    description,
  }));

/** A table of fields; what has fields of its own and no name is a table within. */
export const renderFields = (fields: readonly Field[]): Html =>
  html`<table>
${fields.map(
  ({
    name,
    schema,
    isRequired,
    description,
  }) => html`<tr><th scope="row"><code>${name}</code>${!isRequired && html`<i>optional</i>`}</th>
<td><span class="type">${describeType(schema)}</span>${description !== undefined && html`<p>${inline(description)}</p>`}${renderBounds(schema)}${renderWithin(schema)}</td></tr>
`,
)}</table>`;

function renderBounds(schema: JsonSchema): Html | undefined {
  const bounds = describeBounds(schema);
  return bounds.length > 0 ? html`<small>${inline(bounds.join(", "))}</small>` : undefined;
}

function renderWithin(schema: JsonSchema): Html | undefined {
  const own = schema.anyOf?.find((choice) => choice.type !== "null") ?? schema;
  const fields = fieldsOf(own.items ?? own);
  return fields.length > 0 ? renderFields(fields) : undefined;
}
