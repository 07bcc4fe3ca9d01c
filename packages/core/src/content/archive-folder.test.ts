import { expect, test } from "vitest";
import { archiveFolder } from "./archive-folder.ts";

const folderOf = (name: string, kind: "skill" | "agent" = "skill") =>
  archiveFolder({ kind, slug: "reply", n: 3, entry: `---\nname: ${name}\n---\nDo it.` });

test("an archive unpacks a skill into a folder of its name, and all else into one of its version", () => {
  expect(folderOf("pr-review-2")).toBe("pr-review-2");
  expect(folderOf("pr-review", "agent")).toBe("reply-v3");
  expect(archiveFolder({ kind: "skill", slug: "reply", n: 3, entry: "Do it." })).toBe("reply-v3");
});

test.each(["../up", "up/..", "-a", "a--b", "a-", "Up", "con", "12", "[a]", "''", "'a b'"])(
  "a folder is never named %s",
  (name) => {
    expect(folderOf(name)).toBe("reply-v3");
  },
);
