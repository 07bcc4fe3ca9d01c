import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plain, withNames } from "../../server/test/effects.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const root = await mkdtemp(join(tmpdir(), "promptreg-"));
const bob = await registry.createAccount("bob", { role: "moderator" });

beforeAll(async () => {
  await mkdir(join(root, "reply"));
  await writeFile(
    join(root, "reply/promptreg.json"),
    JSON.stringify({ prompt: "ada/reply", kind: "text", title: "Reply", tags: ["support"], license: "MIT" }),
  );
  await writeFile(join(root, "reply/PROMPT.md"), "Answer {{name}} kindly.\n");
  await cp(join(root, "reply"), join(root, "second"), { recursive: true });
  await writeFile(join(root, "second/PROMPT.md"), "Answer {{name}}.\n");
  await mkdir(join(root, "project"));
  const results = (b: string) => ({
    model: "m",
    results: [
      { caseKey: "a", status: "passed" },
      { caseKey: "b", status: b },
    ],
  });
  await writeFile(join(root, "good.json"), JSON.stringify(results("passed")));
  await writeFile(join(root, "bad.json"), JSON.stringify(results("failed")));
  await writeFile(join(root, "post.md"), "---\ntitle: First steps\n---\n\nBegin **here**.\n");
  await writeFile(join(root, "answer.txt"), "Hello Ada");
  await writeFile(
    join(root, "cases.jsonl"),
    '{"key":"a","variables":{"name":"Ada"}}\n{"key":"b","variables":{}}\n',
  );
});
afterAll(async () => {
  await registry.close();
  await rm(root, { recursive: true });
});

/** One command a line. `<col>` is the last id with that prefix that was printed, `as bob` is somebody else, a moderator. */
const script = `
whoami
config
push {root}/reply --yes
push {root}/reply
status {root}/reply
check {root}/reply
render {root}/reply --var name=Ada
list
list --json
show ada/reply
show ada/reply --json
cat ada/reply
log ada/reply
log ada/reply --json
label move ada/reply production 1 --yes
label list ada/reply
label list ada/reply --json
label history ada/reply production
label blame ada/reply production
resolve ada/reply@production
resolve ada/reply@production --json
edit ada/reply --summary 'Kind answers' --visibility public --yes
edit ada/reply --summary 'Kind answers'
diff {root}/reply
pull ada/reply@production --into {root}/pulled
lock ada/reply@production --file {root}/promptreg.lock
verify --file {root}/promptreg.lock
outdated --file {root}/promptreg.lock
codegen --file {root}/promptreg.lock
search kind
search kind --json
star add ada/reply
star list
star list --json
star remove ada/reply
watch ada/reply
as bob fork ada/reply
as bob star add ada/reply
as bob comment add ada/reply 'Works well.'
comment list ada/reply
comment list ada/reply --json
comment reply ada/reply <cmt> 'Thanks.'
comment edit <cmt> 'Thanks a lot.'
comment lock ada/reply
comment unlock ada/reply
as bob comment hide <cmt> --reason 'Off topic'
as bob comment unhide <cmt>
comment delete <cmt> --yes
notification list
notification list --json
notification count
notification read --all
notification count --json
collection create 'For support'
collection add <col> ada/reply --note 'Begin here'
collection show <col>
collection show <col> --json
collection list
collection edit <col> --visibility unlisted
collection remove <col> ada/reply
collection delete <col> --yes
example add ada/reply {root}/answer.txt --title 'A greeting'
as bob example add ada/reply {root}/answer.txt --note 'Of mine'
example list ada/reply
example list ada/reply --json
example show ada/reply <exm>
example list ada/reply --status pending
example approve ada/reply <exm> --yes
dataset create ada/reply names
dataset import ada/reply names {root}/cases.jsonl
dataset list ada/reply
dataset list ada/reply --json
dataset export ada/reply names
eval list ada/reply
eval report {root}/good.json --prompt ada/reply@1 --dataset names
eval report {root}/bad.json --prompt ada/reply@1 --dataset names --baseline version:1 --fail-on-regression
eval list ada/reply
eval list ada/reply --json
eval show <run>
eval show <run> --json
eval scores ada/reply
eval compare ada/reply@1 ada/reply@production --dataset names
eval compare <run> <run>
make new 'A bot' --body {root}/reply/PROMPT.md
make list
make list --json
make parts a-bot --add Wheel --quantity 4
make files a-bot
make tree ada/reply
make link a-bot ada/reply@1 --note 'For the tone'
make publish a-bot --yes
make view a-bot
make view a-bot --json
make star a-bot
make unlink a-bot ada/reply --yes
make unpublish a-bot
make delete a-bot --yes
inbox list
leaderboard
leaderboard makes --json
analytics ada/reply
as bob report create ada/reply --reason spam --details 'Looks like it'
report list
as bob report list --json
as bob moderate queue
as bob moderate dismiss <rpt> --note 'This is allowed here.'
webhook create https://8.8.8.8/in --events prompt.version.created
webhook list
webhook show <whk>
webhook update <whk> --description 'Ours'
webhook events
webhook deliveries <whk>
webhook delete <whk> --yes
contest list
post new {root}/first.md --title 'First steps'
post push {root}/post.md
post list
post list --json
post view <pst>
post view <pst> --json
post edit <pst> --tag start
post submit <pst> --note 'My first post'
as bob post review <pst> --reject --reason 'It is an ad' --yes
post revisions <pst>
post series create 'For beginners'
post edit <pst> --series <ser>
post series order <ser> <pst>
post series view <ser>
post series list
install ada/reply@production --for cursor --project {root}/project
installed --project {root}/project
update --check --project {root}/project
uninstall ada/reply --project {root}/project
account export {root}/ada.tar.gz
as bob account import {root}/ada.tar.gz --dry-run
as bob account import {root}/ada.tar.gz
as bob account import {root}/ada.tar.gz
as bob list
discord unlink
open ada/reply
open ada/reply --in chatgpt --var name=Ada --print
push {root}/second --message 'Shorter' --onto 1
log ada/reply
log ada/reply --json
diff ada/reply@1 ada/reply@2
yank ada/reply@2 --reason 'Rude' --yes
log ada/reply
unyank ada/reply@2
restore ada/reply@1
label move ada/reply production 2 --yes
label rollback ada/reply production --yes
label history ada/reply production
label history ada/reply production --json
rename ada/reply kind-reply
delete ada/kind-reply --yes
delete ada/kind-reply --yes
show ada/kind-reply
show ada/kind-reply --json
exit-codes
`;

/** The words of a line of a shell, of which some are in quotes. */
const wordsOf = (line: string) =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? "");

test("each command says what `transcript.txt` has, which changes only on purpose", {
  timeout: 120_000,
}, async () => {
  let said = "";
  for (const line of script.trim().split("\n")) {
    const [, as, command = ""] = /^(as bob )?(.*)/.exec(line) ?? [];
    const args = wordsOf(command).map((word) =>
      word
        .replace("{root}", root)
        .replace(
          /<(\w{3})>/,
          (_, prefix: string) => said.match(new RegExp(`\\b${prefix}_[0-9a-z]{26}\\b`, "g"))?.at(-1) ?? "",
        ),
    );
    const { stdout, stderr, exitCode } = await registry.cli(args, {
      env: { XDG_CONFIG_HOME: root, ...(as && { PROMPTREG_TOKEN: bob.token }) },
    });
    const parts = [
      `$ ${line}`,
      stdout,
      stderr.replace(/^(?=.)/gm, "! "),
      exitCode === 0 ? "" : `exit ${exitCode}`,
    ];
    said += `${parts.filter((part) => part !== "").join("\n")}\n\n`;
  }
  const text = withNames(
    plain(
      said
        .replaceAll(root, "{root}")
        .replaceAll(registry.baseUrl, "{server}")
        .replace(/…\w{4}/g, "…")
        .replace(/\(\d+\.\d KiB\)/g, "(<size>)"),
    ),
  );
  await expect(text).toMatchFileSnapshot("transcript.txt");
});
