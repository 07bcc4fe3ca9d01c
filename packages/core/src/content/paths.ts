const encoder = new TextEncoder();

/** Compares files by their paths, which differ. */
export const comparePaths = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);

/** How long and how deep paths may be. */
interface PathLimits {
  bytes: number;
  levels: number;
}
const inVersion: PathLimits = { bytes: 255, levels: 8 };

const forbidden = /[\p{Cc}\\<>:"|?*]/u;
/** Whether Windows keeps a segment for a device, whatever follows its first dot. */
export const isDeviceName = (segment: string): boolean =>
  /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/iu.test(segment);
/** Joiners are part of some scripts and of emoji. Variation selectors change how the character before them looks. */
const invisible = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\p{Zl}\p{Zp}]/u;
/** The remaining characters that file systems of macOS ignore. */
const joiners = /\u200c|\u200d/g;
/** Git's own folder, and the short names that Windows gives to it and to Git's configuration files. */
const gitName = /^(\.GIT|GIT~\d+|GI[\dA-F]{4}~\d+)$/;

/** Checks one path against the rules of all systems on which an archive may be unpacked. */
function pathProblem(path: string, { bytes, levels }: PathLimits): string | undefined {
  if (path === "") return "is empty; give the file a name";
  // The UTF-16 length is at most the byte length, so a huge path is rejected before it is encoded.
  if (path.length > bytes || encoder.encode(path).length > bytes) {
    return `is longer than ${bytes} bytes`;
  }
  if (!path.isWellFormed()) return "is not well-formed Unicode";
  if (path !== path.normalize("NFC")) return "is not in Unicode normal form C; normalise it before sending";
  if (forbidden.test(path)) return 'holds a control character, a backslash or one of < > : " | ? *';
  if (invisible.test(path))
    return "holds a character that nobody sees, such as one that turns the text around it";
  const segments = path.split("/");
  if (segments.length > levels) return `is more than ${levels} levels deep`;
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
  if (isDeviceName(segment)) return "has a segment that Windows keeps for a device, such as CON or NUL";
  if (gitName.test(fold(segment))) return "has a segment that is .git, or a file of it, on some systems";
  return undefined;
}

/** Folds a path, so that two paths that are one file on some file system become equal. Case and joiners are ignored. */
const fold = (path: string) => path.replace(joiners, "").toLowerCase().toUpperCase().normalize("NFC");

/**
 * Finds the paths that break a rule or conflict with others: by index, the end of a sentence that begins with the path. Each
 * path is looked up once per level, so the time is linear.
 * @param limits those of a version's files; where they are installed, folders come before.
 */
export function pathProblems(paths: readonly string[], limits = inVersion): Map<number, string> {
  const problems = new Map<number, string>();
  const files = new Map<string, { path: string; index: number }>();
  for (const [index, path] of paths.entries()) {
    const broken = pathProblem(path, limits);
    if (broken !== undefined) {
      problems.set(index, broken);
      continue;
    }
    const key = fold(path);
    const twin = files.get(key);
    if (twin === undefined) files.set(key, { path, index });
    else problems.set(index, `is the same file as ${twin.path} where case or joiners do not count`);
  }
  for (const [key, { index }] of files) {
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      const file = files.get(key.slice(0, slash));
      if (file !== undefined) problems.set(index, `needs a folder where ${file.path} is a file`);
    }
  }
  for (const [folder, names] of namesByFolder(files.keys())) {
    const head = isRepository(names) ? files.get(`${folder}HEAD`) : undefined;
    if (head !== undefined)
      problems.set(head.index, "makes its folder a git repository, whose settings git would obey there");
  }
  return problems;
}

/**
 * Whether a folder with these names is a bare git repository: git, called in it, would run the commands in its
 * configuration.
 */
export function isRepository(names: Iterable<string>): boolean {
  const found = new Set(Array.from(names, fold));
  return found.has("HEAD") && ((found.has("OBJECTS") && found.has("REFS")) || found.has("COMMONDIR"));
}

/** The names in each folder. A folder has a trailing slash. */
function namesByFolder(paths: Iterable<string>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    let folder = "";
    for (const name of path.split("/")) {
      const names = folders.get(folder) ?? new Set();
      folders.set(folder, names.add(name));
      folder += `${name}/`;
    }
  }
  return folders;
}
