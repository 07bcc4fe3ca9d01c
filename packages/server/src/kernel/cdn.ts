/** A CDN before the server, which forgets responses by their surrogate key. */
export interface Cdn {
  purgeUrl: URL;
  /** Null: it asks for none. */
  token: string | null;
}
