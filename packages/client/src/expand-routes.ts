const methods: Record<string, string> = { "": "GET", "+": "POST", "=": "PUT", "~": "PATCH", "-": "DELETE" };

/**
 * Reads the compact table of routes, and returns them by the id of their operation. A line has a group, the beginning of its
 * paths, and its operations. An operation is the last part of its id, a mark for the method and the rest of the path. `$`
 * means `{owner}/{slug}`.
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
