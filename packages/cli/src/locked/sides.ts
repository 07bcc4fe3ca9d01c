/**
 * The two whole texts between which git left a choice, ours and theirs; undefined where it left none. What both had
 * before, which git shows when it is asked to, is in neither. No line of JSON begins as git's marks do.
 */
export function sidesOf(text: string): [ours: string, theirs: string] | undefined {
  if (!/^<{7} /m.test(text)) return undefined;
  const sides = { ours: "", theirs: "" };
  let side: "ours" | "theirs" | "before" | "both" = "both";
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith("<<<<<<< ")) side = "ours";
    else if (line.startsWith("|||||||")) side = "before";
    else if (line.startsWith("=======")) side = "theirs";
    else if (line.startsWith(">>>>>>> ")) side = "both";
    else {
      if (side === "ours" || side === "both") sides.ours += line;
      if (side === "theirs" || side === "both") sides.theirs += line;
    }
  }
  return [sides.ours, sides.theirs];
}
