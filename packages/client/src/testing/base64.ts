/** Latin-1 text in base64, in the alphabet for URLs and ETags. */
export const toBase64 = (latin1: string): string =>
  btoa(latin1).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const fromBase64 = (text: string): string => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
