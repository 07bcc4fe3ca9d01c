/** The header with which a change is refused if what was read changed since. */
export interface IfUnchanged {
  headers?: { "if-match": string };
}

export function ifUnchanged({ headers }: Response): IfUnchanged {
  const etag = headers.get("etag");
  return etag === null ? {} : { headers: { "if-match": etag } };
}
