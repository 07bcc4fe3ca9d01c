import { isObject, textIn, type Values } from "./values.ts";
import { type ForeignVariable, typeOf } from "./variables.ts";

/** The fields of a JSON Schema, or of Dotprompt's short form of one, as variables. */
export function variablesIn(schema: unknown): ForeignVariable[] {
  if (!isObject(schema)) return [];
  const { properties, required } = schema;
  if (isObject(properties)) {
    const isRequired = (name: string) => !Array.isArray(required) || required.includes(name);
    return Object.entries(properties).flatMap(([name, field]) =>
      typeof field === "string" ? ofPicoschema(name, field) : ofJsonSchema(name, field, isRequired(name)),
    );
  }
  return Object.entries(schema).flatMap(([key, field]) => ofPicoschema(key, field));
}

function ofJsonSchema(name: string, field: unknown, required: boolean): ForeignVariable {
  const { type, description, enum: options, default: value } = isObject(field) ? field : ({} as Values);
  return {
    name,
    type: type === undefined && options === undefined ? "json" : typeOf(type),
    description,
    required,
    options,
    default: value,
  };
}

/** `name?`, then in brackets `array`, `object` or `enum`, and a description after a comma. */
const key = /^([A-Za-z_][\w-]*)(\?)?(?:\((array|object|enum)(?:,([^)]*))?\))?$/;

/** The value is `type, description`, or what the brackets say. */
function ofPicoschema(text: string, field: unknown): ForeignVariable[] {
  const [, name, optional, form, about = ""] = key.exec(text.trim()) ?? [];
  if (name === undefined) return [];
  const variable = { name, required: optional === undefined };
  if (form === "enum") return [{ ...variable, options: field, description: about.trim() }];
  if (form !== undefined || typeof field !== "string")
    return [{ ...variable, type: "json", description: about.trim() }];
  const [type = "", ...rest] = field.split(",");
  return [{ ...variable, type: typeOf(type.trim()), description: textIn(rest.join(","))?.trim() }];
}
