import { pathProblems } from "@promptreg/core/content";

/** The name that a registry gives to a download, if it leads nowhere else. */
export function fileNameIn(disposition: string | null, otherwise: string): string {
  const sent = /\bfilename\*=UTF-8''([^;\s]+)/i.exec(disposition ?? "")?.[1];
  const name = decoded(sent ?? "");
  const isSafe = !/^\.|\//.test(name) && pathProblems([name]).size === 0;
  return isSafe ? name : otherwise;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
