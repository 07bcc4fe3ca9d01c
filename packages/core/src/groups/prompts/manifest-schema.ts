import * as z from "zod";
import { schemaNotes } from "../../generated/summaries.ts";
import { Manifest } from "./manifest.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The JSON Schema of a manifest, with its documentation, in the draft that editors know best. */
export function manifestSchema(): object {
  const options = { io: "input", target: "draft-07", unrepresentable: "any" } as const;
  const { $schema, definitions = {} } = z.toJSONSchema(Manifest, options) as {
    $schema: string;
    definitions?: Record<string, JsonSchema>;
  };
  const { description, fields = {} } = schemaNotes["Manifest"] ?? {};
  // In this draft, keys next to a `$ref` are ignored, so references are resolved.
  const whole = ({ $ref, ...field }: JsonSchema) =>
    $ref === undefined ? field : (definitions[$ref.replace("#/definitions/", "")] ?? field);
  const properties = Object.entries(definitions["Manifest"]?.properties ?? {}).map(([name, field]) => [
    name,
    { description: fields[name], ...whole(field as JsonSchema) },
  ]);
  return {
    $schema,
    title: "promptreg.json",
    description,
    ...definitions["Manifest"],
    properties: Object.fromEntries(properties),
  };
}
