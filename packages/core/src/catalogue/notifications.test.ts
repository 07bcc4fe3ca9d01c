import { describe, expect, test } from "vitest";
import { type EventDataOf, exampleEnvelope } from "./events.ts";
import { notificationCatalogue, notificationTypes } from "./notifications.ts";
import { did, inLine } from "../language/notification.ts";

const ref = "alice/pr-review";
const origin = "https://prompts.example";
const run = {
  url: `${origin}/api/v1/evals/runs/run_01jd0000000000000000000000`,
  target: { type: "run", id: "run_01jd0000000000000000000000" },
};
const request = {
  url: `${origin}/api/v1/prompts/${ref}/change-requests/12`,
  target: { type: "change_request", id: `${ref}!12` },
};
const make = { url: `${origin}/makes/review-bot`, target: { type: "make", id: "review-bot" } };
const comment = {
  url: `${origin}/api/v1/comments?target=prompt:${ref}#cmt_01jd0000000000000000000000`,
  target: { type: "comment", id: "cmt_01jd0000000000000000000000" },
};
const texts = {
  "prompt.version.created": {
    title: `New version of ${ref}: 12`,
    body: "Committed by alice: Ask for a summary first",
    url: `${origin}/${ref}@12`,
    target: { type: "version", id: `${ref}@12` },
  },
  "prompt.label.moved": {
    title: `production of ${ref} moved from version 11 to version 12`,
    body: "Moved by alice: eval passed",
    url: `${origin}/${ref}@12`,
    target: { type: "version", id: `${ref}@12` },
  },
  "prompt.published": {
    title: `${ref} is published`,
    body: "Published by alice.",
    url: `${origin}/${ref}@1`,
    target: { type: "prompt", id: ref },
  },
  "prompt.deleted": {
    title: `${ref} was deleted`,
    body: "Deleted by alice.",
    url: `${origin}/${ref}`,
    target: { type: "prompt", id: ref },
  },
  "change_request.opened": {
    title: `New change request for ${ref}: 12`,
    body: "Opened by alice: Ask for a summary first",
    ...request,
  },
  "change_request.merged": {
    title: `Change request 12 was merged into version 13 of ${ref}`,
    body: "Merged by alice: Ask for a summary first",
    ...request,
  },
  "eval.run.completed": {
    title: `${ref} version 12 passed its evals`,
    body: "19 of 20 passed with gpt-5-mini.",
    ...run,
  },
  "make.linked": {
    title: `Something was made with ${ref}`,
    body: "Made by bob: A bot that reviews pull requests",
    ...make,
  },
  "make.approved": {
    title: `A make with ${ref} is approved`,
    body: "Approved by alice: A bot that reviews pull requests",
    ...make,
  },
  "comment.created": {
    title: `New comment on ${ref}`,
    body: "Written by alice.",
    ...comment,
  },
  "eval.run.failed": {
    title: `Evals of ${ref} version 12 broke off`,
    body: "With gpt-5-mini: The provider answered 401.",
    ...run,
  },
} as const;

/** Types that are no events, which are written where they happen. */
const others = [
  "make.rejected",
  "prompt.forked",
  "change_request.closed",
  "comment.mentioned",
  "contest.closed",
  "example.submitted",
  "example.decided",
  "import.ready",
  "post.reviewed",
  "report.handled",
  "webhook.disabled",
] as const;

describe("what an account reads", () => {
  test.each(Object.entries(texts))("about %s is plain English", (name, text) => {
    const describe = notificationCatalogue[name as keyof typeof texts] as (data: unknown) => unknown;
    expect(describe(exampleEnvelope(name as keyof typeof texts)["data"])).toEqual(text);
  });

  test("covers every type", () => {
    expect([...notificationTypes].sort()).toEqual([...Object.keys(texts), ...others].sort());
  });

  test("about a report is plain English, for who reported something and for whose it is", () => {
    const about = { id: "rpt_1", url: "https://promptreg.example/ada" } as const;
    const read = notificationCatalogue["report.handled"];
    const target = { type: "change_request", id: "ada/reply!3" } as const;
    const own = { target, handle: "ada" };
    expect(read({ ...about, status: "dismissed", action: "none", note: null, own: null })).toMatchObject({
      title: "Your report was dismissed",
      body: "Nothing was changed.",
      target: { type: "report", id: "rpt_1" },
    });
    expect(read({ ...about, status: "resolved", action: "removed", note: "Two\nlines", own })).toMatchObject({
      title: "A moderator removed something of yours",
      body: "Your change request ada/reply!3 was removed. The moderator writes: “Two lines”. To object, report your account, user:ada, and say why in the details.",
      target: { type: "user", id: "ada" },
    });
  });

  test("about an import is plain English, however many prompts it found", () => {
    const read = (detected: number) => {
      const { title, body } = notificationCatalogue["import.ready"]({
        id: "imp_01jc0000000000000000000001",
        label: "skills.zip",
        detected,
        url: `${origin}/api/v1/imports/imp_01jc0000000000000000000001`,
      });
      return [title, body];
    };
    expect(read(2)).toEqual([
      "Your import is ready: 2 prompts found",
      "Choose from skills.zip within 7 days.",
    ]);
    expect(read(1)[0]).toBe("Your import is ready: 1 prompt found");
    expect(read(0)).toEqual([
      "Your import found no prompts",
      "Its warnings may say why nothing of skills.zip is one.",
    ]);
  });

  test("about the end of a contest is plain English, for winners and for others", () => {
    const read = notificationCatalogue["contest.closed"];
    const about = { slug: "winter", title: "Best of\nwinter", url: `${origin}/contests/winter` };
    expect(read({ ...about, rank: 2 })).toEqual({
      title: "You won place 2 of a contest",
      body: "The results are there: Best of winter",
      url: about.url,
      target: { type: "contest", id: "winter" },
    });
    expect(read({ ...about, rank: null }).title).toBe("A contest that you took part in is closed");
    const said = (rank: number | null, isDisqualified: boolean) => {
      const { title, body } = read({ ...about, rank, changed: { reason: "Bought\nvotes", isDisqualified } });
      return [title, body];
    };
    const changed = "An entry was disqualified, so the results changed: Best of winter";
    expect(said(1, false)).toEqual(["You won place 1 of a contest", changed]);
    expect(said(null, false)).toEqual(["You are no winner of a contest any more", changed]);
    expect(said(null, true)).toEqual([
      "Your entry in a contest is disqualified",
      "Best of winter: Bought votes",
    ]);
  });

  test("about a webhook that is disabled names it by its description, if it has one", () => {
    const said = (description: string | null) => {
      const webhook = { id: "whk_1", host: "receiver.example", description, url: `${origin}/webhooks/whk_1` };
      const { title, body } = notificationCatalogue["webhook.disabled"](webhook);
      expect(title).toBe("Your webhook to receiver.example was disabled");
      return body.split(" attempts")[0];
    };
    expect([said("Our chat"), said(null)]).toEqual(["Our chat: too many", "Too many"]);
  });

  test("about a decision on a post is plain English, with its reason or without", () => {
    const post = { id: "pst_1", title: "First steps", url: `${origin}/posts/pst_1` };
    const said = (decision: "approved" | "rejected" | "unpublished", reason: string | null) => {
      const { title, body } = notificationCatalogue["post.reviewed"]({ post, decision, reason });
      return [title, body];
    };
    expect([said("approved", null), said("rejected", "Too short"), said("unpublished", null)]).toEqual([
      ["Your post is published", "Approved: First steps"],
      ["Your post needs changes", "Rejected: Too short"],
      ["Your post is not published any more", "Unpublished: First steps"],
    ]);
  });

  test("about a rejected make is plain English, with its reason or without", () => {
    const about = exampleEnvelope("make.linked")["data"] as EventDataOf<"make.linked">;
    const read = notificationCatalogue["make.rejected"];
    expect(read({ ...about, reason: "Not about it" })).toMatchObject({
      title: `Your make is not in the gallery of ${ref}`,
      body: "Rejected by alice: Not about it",
      ...make,
    });
    expect(read({ ...about, reason: null }).body).toBe("Rejected by alice: A bot that reviews pull requests");
  });

  test("about a fork, and about the end of a change request, is plain English", () => {
    const about = exampleEnvelope("change_request.opened")["data"] as EventDataOf<"change_request.opened">;
    const fork = {
      id: "prm_01jc0000000000000000000001",
      ref: "bob/pr-review",
      url: `${origin}/bob/pr-review`,
    };
    expect(notificationCatalogue["prompt.forked"]({ ...about, fork })).toEqual({
      title: `${ref} was forked`,
      body: "Forked by alice: bob/pr-review",
      url: fork.url,
      target: { type: "prompt", id: fork.ref },
    });
    expect(notificationCatalogue["change_request.closed"](about)).toEqual({
      title: `Change request 12 for ${ref} was closed`,
      body: "Closed by alice: Ask for a summary first",
      ...request,
    });
  });

  test("about a mention says who wrote it, and not what", () => {
    const data = exampleEnvelope("comment.created")["data"] as EventDataOf<"comment.created">;
    expect(notificationCatalogue["comment.mentioned"](data)).toEqual({
      title: `You were mentioned in a comment on ${ref}`,
      body: "Written by alice.",
      ...comment,
    });
  });

  test("about a new label names no previous version", () => {
    const data = {
      ...(exampleEnvelope("prompt.label.moved")["data"] as object),
      previousVersionNumber: null,
    };
    expect(notificationCatalogue["prompt.label.moved"](data as never)).toMatchObject({
      title: `production of ${ref} set to version 12`,
      body: "Set by alice: eval passed",
    });
  });
});

describe("free text within a line", () => {
  test.each([
    ["  one\r\n\ttwo\u0000\u2028three  ", "one two three"],
    ["x".repeat(280), "x".repeat(280)],
    ["x".repeat(281), `${"x".repeat(279)}…`],
    ["😀".repeat(300), `${"😀".repeat(279)}…`],
  ])("%j reads %j", (text, line) => {
    expect(inLine(text)).toBe(line);
  });

  test("names no actor if the system acted, and no reason if there is none", () => {
    expect([did("Moved", null), did("Moved", null, "Why not")]).toEqual(["Moved.", "Moved: Why not"]);
  });
});
