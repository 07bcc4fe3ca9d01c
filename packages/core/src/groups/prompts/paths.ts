const encoder = new TextEncoder();

const maxPathBytes = 255;
const maxLevels = 8;
const forbidden = /[\p{Cc}\\<>:"|?*]/u;
/** Names that Windows keeps for devices, whatever follows their first dot. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/iu;
/** Git's own folder, also under the short name that Windows gives it. */
const gitFolder = /^(\.git|git~1)$/i;

/** What one path breaks of the rules of all systems that an archive may be unpacked on, taken together. */
function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty; give the file a name";
  // The UTF-16 length is at most the byte length, so a huge path is refused before anything reads it.
  if (path.length > maxPathBytes || encoder.encode(path).length > maxPathBytes) {
    return `is longer than ${maxPathBytes} bytes`;
  }
  if (!path.isWellFormed()) return "is not well-formed Unicode";
  if (path !== path.normalize("NFC")) return "is not in Unicode normal form C; normalise it before sending";
  if (forbidden.test(path)) return 'holds a control character, a backslash or one of < > : " | ? *';
  const segments = path.split("/");
  if (segments.length > maxLevels) return `is more than ${maxLevels} levels deep`;
  for (const segment of segments) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "begins or ends with a slash, or has two in a row";
  if (segment === "." || segment === "..")
    return "has a . or .. segment; write it relative to the prompt's root";
  if (/[. ]$/.test(segment)) return "has a segment that ends in a dot or a space";
  if (deviceName.test(segment)) return "has a segment that Windows keeps for a device, such as CON or NUL";
  if (gitFolder.test(segment)) return "has a segment named .git";
  return undefined;
}

/** Folds a path so that two that are one file on a case-insensitive disk become equal. */
const foldCase = (path: string) => path.toLowerCase().toUpperCase().normalize("NFC");

/**
 * Finds the paths that break a rule or cannot lie beside the others: by index, the end of a sentence that
 * begins with the path. Each is looked up once per level, so the time is linear in their number.
 */
export function pathProblems(paths: readonly string[]): Map<number, string> {
  const problems = new Map<number, string>();
  const files = new Map<string, { path: string; index: number }>();
  for (const [index, path] of paths.entries()) {
    const broken = pathProblem(path);
    if (broken !== undefined) {
      problems.set(index, broken);
      continue;
    }
    const key = foldCase(path);
    const twin = files.get(key);
    if (twin === undefined) files.set(key, { path, index });
    else problems.set(index, `is the same file as ${twin.path} where case does not count`);
  }
  for (const [key, { index }] of files) {
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      const file = files.get(key.slice(0, slash));
      if (file !== undefined) problems.set(index, `needs a folder where ${file.path} is a file`);
    }
  }
  return problems;
}
