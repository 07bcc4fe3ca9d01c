/** The address of a prompt, and a version of it. Without `version` and `label` it is the latest. */
export interface PromptAddress {
  owner: string;
  slug: string;
  version?: number;
  label?: string;
}

const address =
  /^([a-z0-9]+(?:-[a-z0-9]+)*)\/([a-z0-9]+(?:-[a-z0-9]+)*)(?:@(?:([1-9]\d{0,8})|([a-z][a-z0-9._-]*)))?$/;

/**
 * Reads `owner/slug`, `owner/slug@3` or `owner/slug@production`.
 * @throws {SyntaxError} with a message that shows the three forms.
 */
export function parseRef(text: string): PromptAddress {
  const [, owner, slug, version, label] = address.exec(text) ?? [];
  if (owner === undefined || slug === undefined) {
    const lower = text.toLowerCase();
    throw new SyntaxError(
      `"${text}" is not the address of a prompt. ${
        address.test(lower)
          ? `Write it in lower case: ${lower}.`
          : "Write owner/slug, owner/slug@3 or owner/slug@production."
      }`,
    );
  }
  return {
    owner,
    slug,
    ...(version !== undefined && { version: Number(version) }),
    ...(label !== undefined && { label }),
  };
}

/** A version by its number or by a label; `latest` is the computed one. */
export type VersionName = { version: number } | { label: string };

const number = /^[1-9]\d{0,8}$/;
const label = /^(?=.{1,64}$)[a-z][a-z0-9-]*([._][a-z0-9-]+)*$/;

/**
 * Reads `1..2` or `production..latest`: two versions of a prompt, each a number or a label.
 * @throws {SyntaxError} with a message that shows the forms.
 */
export function parseRange(text: string): { from: VersionName; to: VersionName } {
  const names = text.split("..");
  const [from, to] = names.map((name): VersionName | null =>
    number.test(name) ? { version: Number(name) } : label.test(name) ? { label: name } : null,
  );
  if (names.length !== 2 || !from || !to) {
    throw new SyntaxError(
      `"${text.slice(0, 100)}" is not a range of versions. Write two versions or labels, such as 1..2 or production..latest.`,
    );
  }
  return { from, to };
}
