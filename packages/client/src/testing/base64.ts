/** Text of Latin-1 in base64 as addresses and tags hold it. */
export const toBase64 = (latin1: string): string =>
  btoa(latin1).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const fromBase64 = (text: string): string => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
