/** An archive of a repository at a revision, and the folder in it that is meant. */
export interface PlaceArchive {
  url: string;
  /** A branch, tag or commit; null: the repository's default branch. */
  ref: string | null;
  /** Empty: all of it. */
  path: string;
}

/** Where on the web prompts lie. */
export type Place =
  | {
      type: "repository";
      /** Without a revision, so that another import finds what it brought: `github.com/owner/name`. */
      name: string;
      /** To be tried in this order: an address does not tell where a branch with slashes ends, and a folder begins. */
      archives: PlaceArchive[];
    }
  | {
      /** A file, or an archive. */
      type: "url";
      name: string;
      url: string;
    };

/** Why an address is none of a repository or a file: a sentence. */
export class PlaceError extends Error {
  override readonly name = "PlaceError";
}

/** What may stand beside an address. */
export interface PlaceOptions {
  ref?: string | undefined;
  path?: string | undefined;
}

/** No branch that people name has more parts. */
const maxRefParts = 4;

/**
 * Reads what people paste: `owner/name`, `owner/name@ref`, addresses of repositories, folders and files on GitHub and GitLab, of gists, of
 * git, and of any file or archive. Null if it is none of these.
 * @throws {PlaceError} if it is an address that nothing can be imported from.
 */
export function parsePlace(given: string, options: PlaceOptions = {}): Place | null {
  const text = given.trim();
  const short = /^([A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}?)(?:\.git)?(?:@(.+))?$/.exec(text);
  if (short !== null && !/\/\.{1,2}$/.test(short[1] ?? "")) {
    const [, name = "", ref] = short;
    return github(name, [ref === undefined ? [] : [ref, ""]], options);
  }
  const [, host, path] = /^(?:ssh:\/\/)?git@([\w.-]+)[:/](.+)$/.exec(text) ?? [];
  const isBare = /^(?:www\.)?(?:github|gitlab)\.com\//i.test(text);
  if (host === undefined && !isBare && !/^https?:\/\//i.test(text)) return null;
  const url = URL.parse(host === undefined ? (isBare ? `https://${text}` : text) : `https://${host}/${path}`);
  if (url === null) throw new PlaceError(`"${text.slice(0, 200)}" is no address.`);
  if (url.username !== "" || url.password !== "")
    throw new PlaceError(
      "An address with a name or a password in it is not taken. Download the files yourself.",
    );
  if (url.protocol !== "https:") throw new PlaceError("The address must begin with https://.");
  url.hash = "";
  return placeAt(url, options);
}

function placeAt(url: URL, options: PlaceOptions): Place {
  const host = url.hostname.replace(/^www\./, "");
  const parts = url.pathname.split("/").filter(Boolean).map(decoded);
  if (host === "gist.github.com") return gist(parts);
  const dash = parts.indexOf("-");
  if (host === "gitlab.com" || dash >= 2) return gitlab(url, host, parts, dash, options);
  if (host !== "github.com" || parts.length < 2) return { type: "url", name: nameOf(url), url: url.href };
  const [owner = "", repository = "", kind, ...rest] = parts;
  const name = `${owner}/${repository.replace(/\.git$/, "")}`;
  if (kind === undefined) return github(name, [[]], options);
  if (kind === "tree") return github(name, splits(rest), options);
  if (kind === "blob" || kind === "raw") return file(`https://github.com/${name}/raw/`, rest);
  if (kind === "archive" || kind === "releases") return { type: "url", name: nameOf(url), url: url.href };
  throw new PlaceError(
    `${nameOf(url)} is a page about a repository. Name the repository, or a folder or file in it.`,
  );
}

/** A revision and a folder, as far as they are known. */
type Split = readonly [ref?: string, path?: string];

/** Where the revision may end in `feature/x/docs`. */
const splits = (parts: readonly string[]): Split[] =>
  parts.length === 0
    ? [[]]
    : parts
        .slice(0, maxRefParts)
        .map((_, index) => [parts.slice(0, index + 1).join("/"), parts.slice(index + 1).join("/")]);

const github = (name: string, found: readonly Split[], options: PlaceOptions): Place => ({
  type: "repository",
  name: `github.com/${name}`,
  archives: archivesOf(
    found,
    options,
    (ref) => `https://codeload.github.com/${encoded(name)}/zip/${encoded(ref ?? "HEAD")}`,
  ),
});

function gitlab(
  { origin, href }: URL,
  host: string,
  parts: readonly string[],
  dash: number,
  options: PlaceOptions,
): Place {
  const project = (dash < 0 ? parts : parts.slice(0, dash)).join("/").replace(/\.git$/, "");
  const [kind, ...rest] = dash < 0 ? [] : parts.slice(dash + 1);
  if (kind === "blob" || kind === "raw") return file(`${origin}/${encoded(project)}/-/raw/`, rest);
  if (kind === "archive" || kind === "releases")
    return { type: "url", name: nameOf(new URL(href)), url: href };
  if ((kind !== undefined && kind !== "tree") || !project.includes("/"))
    throw new PlaceError(
      `${nameOf(new URL(href))} is a page about a project. Name the project, or a folder or file in it.`,
    );
  const last = project.slice(project.lastIndexOf("/") + 1);
  return {
    type: "repository",
    name: `${host}/${project}`,
    archives: archivesOf(kind === undefined ? [[]] : splits(rest), options, (ref = "HEAD") => {
      const name = `${last}-${ref.replaceAll("/", "-")}.zip`;
      return `${origin}/${encoded(project)}/-/archive/${encoded(ref)}/${encoded(name)}`;
    }),
  };
}

function gist(parts: readonly string[]): Place {
  const id = parts.find((part) => /^[0-9a-f]{20,40}$/.test(part));
  if (id === undefined) throw new PlaceError("The address of a gist ends with its id.");
  return {
    type: "repository",
    name: `gist.github.com/${id}`,
    archives: [{ url: `https://codeload.github.com/gist/${id}/zip/HEAD`, ref: null, path: "" }],
  };
}

function archivesOf(
  found: readonly Split[],
  { ref: given, path }: PlaceOptions,
  urlOf: (ref: string | undefined) => string,
): PlaceArchive[] {
  const known: readonly Split[] = given === undefined ? found : [[given, found[0]?.[1]]];
  return known.map(([ref, folder = ""]) => ({
    url: urlOf(ref),
    ref: ref ?? null,
    path: [folder, path ?? ""].filter(Boolean).join("/"),
  }));
}

function file(start: string, parts: readonly string[]): Place {
  if (parts.length < 2) throw new PlaceError("The address of a file ends with its path.");
  const url = `${start}${encoded(parts.join("/"))}`;
  return { type: "url", name: nameOf(new URL(url)), url };
}

/** Without what a cache or a login adds. */
const nameOf = ({ hostname, pathname }: URL): string =>
  `${hostname}${pathname.split("/").map(decoded).join("/")}`.replace(/\/$/, "");

function encoded(path: string): string {
  const parts = path.split("/");
  if (parts.some((part) => /^\.{0,2}$/.test(part)))
    throw new PlaceError(`"${path.slice(0, 200)}" has a part that is empty, . or .. and leads elsewhere.`);
  return parts.map(encodeURIComponent).join("/");
}

/** As people write it. What would break a line, or turn it round, stays encoded: names are shown. */
function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part);
    return /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text) ? part : text;
  } catch {
    return part;
  }
}
