/** The version of this package. Read rather than imported, for the package's own file lies outside its sources. */
export function version(): string {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version as string;
}
