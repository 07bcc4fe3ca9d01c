/**
 * Fills in the parameters of a path. A parameter written `{name*}` keeps its slashes.
 * @throws {TypeError} if a parameter is missing or unknown, or would lead to another path.
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

/** URLs resolve `.` and `..`, encoded or not, and would then call another operation. */
function encodeSegment(segment: string, name: string): string {
  if (segment === "" || segment === "." || segment === ".." || !segment.isWellFormed()) {
    throw new TypeError(`"${name}" cannot be ${JSON.stringify(segment)}: it is a part of a path.`);
  }
  return encodeURIComponent(segment);
}

/** Prints a query. A list repeats its name. Undefined values are left out. */
export function printQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(name, String(item));
    }
  }
  return search.size === 0 ? "" : `?${search}`;
}
