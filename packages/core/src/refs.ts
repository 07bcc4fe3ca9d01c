/** Where a prompt is, and which version of it is meant; with neither `version` nor `label`, the latest. */
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
 * @throws {SyntaxError} with a sentence that shows the three forms.
 */
export function parseRef(text: string): PromptAddress {
  const [, owner, slug, version, label] = address.exec(text) ?? [];
  if (owner === undefined || slug === undefined) {
    throw new SyntaxError(
      `"${text}" is not the address of a prompt. Write owner/slug, owner/slug@3 or owner/slug@production.`,
    );
  }
  return {
    owner,
    slug,
    ...(version !== undefined && { version: Number(version) }),
    ...(label !== undefined && { label }),
  };
}
