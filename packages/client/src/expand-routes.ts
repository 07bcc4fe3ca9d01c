const methods: Record<string, string> = { "": "GET", "+": "POST", "=": "PUT", "~": "PATCH", "-": "DELETE" };

/**
 * Reads routes as they are published, by the ids of their operations. A line names a group, the beginning of its paths, and
 * of each operation the last part of the id, a mark for the method and the rest of the path; `$` is `{owner}/{slug}`.
 */
export function expandRoutes(text: string): Record<string, string> {
  const routes: Record<string, string> = {};
  for (const line of text.replaceAll("$", "{owner}/{slug}").split("\n")) {
    const [group, base, ...operations] = line.split(" ");
    for (const operation of operations) {
      const [, name, mark = "", rest] = /^(\w+)([+=~-]?)(.*)/.exec(operation) ?? [];
      routes[`${group}.${name}`] = `${methods[mark]} ${base}${rest}`;
    }
  }
  return routes;
}
