import { describe, expect, test } from "vitest";
import { promptKinds } from "../content/kinds.ts";
import { formatKinds, formats, placeFor, type Tool, toolNames, tools, writeFormat } from "./index.ts";
import { sourceOf } from "./testing.ts";

const isRelative = /^(?!\/)(?!.*\.\.)(?!.*\/$)[\w./-]+$/;

describe("a tool for which prompts are installed", () => {
  test.for(toolNames)("%s takes each of its kinds in a format for that kind", (name) => {
    const { places }: Tool = tools[name];
    for (const kind of promptKinds) {
      if (places[kind] === undefined) continue;
      const { format, folder, home } = placeFor(name, kind);
      expect(formatKinds[format]).toContain(kind);
      for (const place of [folder, home]) {
        const { files } = writeFormat(format, sourceOf(kind), place === undefined ? {} : { folder: place });
        for (const { path } of files) {
          expect(path).toMatch(isRelative);
          if (place !== undefined) expect(path.startsWith(`${place}/`)).toBe(true);
        }
      }
    }
  });

  test("takes a skill, whichever it is", () => {
    for (const name of toolNames) expect(placeFor(name, "skill").format).toBe("agent-skill");
  });

  test("says which kinds it takes when it cannot take one", () => {
    expect(() => placeFor("windsurf", "agent")).toThrow(
      expect.objectContaining({
        code: "format_not_supported",
        message: "Windsurf takes no prompts of kind agent. It takes command, rule, skill, text.",
      }),
    );
    for (const name of toolNames) expect(() => placeFor(name, "media")).toThrow("kind media");
  });

  test("shares AGENTS.md with the project, and no other file", () => {
    const shared = Object.entries(formats).filter(([, { isShared }]) => isShared);
    expect(shared.map(([name]) => name)).toEqual(["agents-md"]);
  });
});
