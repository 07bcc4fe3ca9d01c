/** What looks like a secret in a text. A door of its own, because the library behind it is large. */
export { findSecrets, type Secret, searchedText } from "./imports/text/secrets.ts";
