/**
 * Fills the parameters of a path in; those written `{name*}` keep their slashes.
 * @throws {TypeError} for one that is missing, unknown, or would change the path's shape.
 */
export function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  const left = new Set(Object.keys(params));
  const parts = template.split("/").map((part) => {
    if (!part.startsWith("{")) return part;
    const takesRest = part.endsWith("*}");
    const name = part.slice(1, takesRest ? -2 : -1);
    left.delete(name);
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (typeof value !== "string" && typeof value !== "number") {
      throw new TypeError(`${template} needs "${name}", as a string or a number.`);
    }
    const segments = takesRest ? String(value).split("/") : [String(value)];
    return segments.map((segment) => encodeSegment(segment, name)).join("/");
  });
  if (left.size > 0) {
    throw new TypeError(`${template} has no "${[...left].join('", "')}". Put it into query or body.`);
  }
  return parts.join("/");
}

/** URLs drop `.` and walk up at `..`, encoded or not, so that another operation would be called. */
function encodeSegment(segment: string, name: string): string {
  if (segment === "" || segment === "." || segment === ".." || !segment.isWellFormed()) {
    throw new TypeError(`"${name}" cannot be ${JSON.stringify(segment)}: it is a part of a path.`);
  }
  return encodeURIComponent(segment);
}

/** Prints a query; lists repeat their name, undefined is left out. */
export function printQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(name, String(item));
    }
  }
  return search.size === 0 ? "" : `?${search}`;
}
