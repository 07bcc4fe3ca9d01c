import { type JsonSchema, nameOf } from "./shape.ts";

/**
 * Gives a union whose members a field tells apart its discriminator, so that generated clients read the right one. A mapping can only name components, so the members need ids.
 */
export const tellApart = <T>(value: T, components: Record<string, JsonSchema>): T =>
  JSON.parse(JSON.stringify(value), (_, item) => {
    if (!Array.isArray(item?.anyOf)) return item;
    const discriminator = discriminatorOf(item.anyOf, components);
    return discriminator === undefined ? item : { ...item, discriminator };
  });

/** The field that every member must have, each with a text of its own. */
function discriminatorOf(
  members: readonly JsonSchema[],
  components: Record<string, JsonSchema>,
): JsonSchema["discriminator"] {
  const schemaOf = ({ $ref }: JsonSchema) => ($ref === undefined ? undefined : components[nameOf($ref)]);
  for (const propertyName of schemaOf(members[0] ?? {})?.required ?? []) {
    const named = members.flatMap((member) => {
      const { required = [], properties = {} } = schemaOf(member) ?? {};
      const word = required.includes(propertyName) ? properties[propertyName]?.const : undefined;
      return typeof word === "string" && member.$ref !== undefined ? [[word, member.$ref] as const] : [];
    });
    const mapping = Object.fromEntries(named);
    if (Object.keys(mapping).length === members.length) return { propertyName, mapping };
  }
  return undefined;
}
