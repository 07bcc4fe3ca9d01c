import type { FormatName } from "../../formats/names.ts";
import { type PromptKind, promptKinds } from "../../content/kinds.ts";

/** What a link does: it writes the text into an input, it installs a file, or there is none and the text is pasted. */
export const openModes = ["prefill", "install", "copy"] as const;
export type OpenMode = (typeof openModes)[number];

/** Where a tool runs. */
export const openPlatforms = ["web", "desktop", "editor", "terminal"] as const;
export type OpenPlatform = (typeof openPlatforms)[number];

/** A tool in which a prompt can be opened. */
export interface OpenTool {
  name: string;
  platform: OpenPlatform;
  /** Where the text is pasted if no link can carry it. */
  page: string;
  /**
   * Its link for a kind, with `{slug}`, and with `{text}` or `{file}` at the end: the prompt itself, or the URL of a file.
   * Absent: text is only pasted.
   */
  links?: Partial<Record<PromptKind, string>>;
  /** For links with `{file}`: the format of the file. */
  formats?: Partial<Record<PromptKind, FormatName>>;
  /** Characters of the text, if the tool limits that too. */
  maxTextLength?: number;
}

/** The longest link, percent-encoded. Vendors that name a limit name this one, or none. */
export const maxOpenUrlLength = 8_000;

const forAll = (link: string) =>
  Object.fromEntries(promptKinds.map((kind) => [kind, link])) as Record<PromptKind, string>;

/** A place on the web that reads the text from its address. */
const site = (name: string, page: string, link: string): OpenTool => ({
  name,
  platform: "web",
  page,
  links: forAll(link),
});

/** A program that reads the text from a link with a scheme of its own. */
const program = (name: string, platform: OpenPlatform, page: string, link: string): OpenTool => ({
  ...site(name, page, link),
  platform,
});

/**
 * Every tool in which prompts can be opened. Documented by their vendors: `claude-code`, `cursor`, `codex`, `zed`, the two of
 * VS Code (in its source or its documentation) and `github-copilot`. The other links are known from use, and can stop working.
 * Decision 0025 has the sources.
 */
export const openTargets = {
  chatgpt: site("ChatGPT", "https://chatgpt.com/", "https://chatgpt.com/?q={text}"),
  claude: site("Claude", "https://claude.ai/new", "https://claude.ai/new?q={text}"),
  "claude-desktop": program(
    "Claude Desktop",
    "desktop",
    "https://claude.ai/new",
    "claude://claude.ai/new?q={text}",
  ),
  "claude-code": {
    ...program("Claude Code", "terminal", "https://claude.ai/code", "claude-cli://open?q={text}"),
    maxTextLength: 5_000,
  },
  cursor: {
    ...program("Cursor", "editor", "https://cursor.com/", "https://cursor.com/link/prompt?text={text}"),
    links: {
      ...forAll("https://cursor.com/link/prompt?text={text}"),
      rule: "cursor://anysphere.cursor-deeplink/rule?name={slug}&text={text}",
      command: "cursor://anysphere.cursor-deeplink/command?name={slug}&text={text}",
    },
  },
  vscode: {
    name: "VS Code, as a file",
    platform: "editor",
    page: "https://code.visualstudio.com/",
    links: {
      text: "vscode:chat-prompt/install?url={file}",
      command: "vscode:chat-prompt/install?url={file}",
      rule: "vscode:chat-instructions/install?url={file}",
      agent: "vscode:chat-agent/install?url={file}",
      skill: "vscode:chat-skill/install?url={file}",
    },
    formats: {
      text: "copilot-prompt",
      command: "copilot-prompt",
      rule: "copilot-instructions",
      agent: "copilot-agent",
      skill: "vscode-skill-manifest",
    },
  },
  "vscode-chat": program(
    "Copilot Chat in VS Code",
    "editor",
    "https://code.visualstudio.com/",
    "vscode://GitHub.Copilot-Chat/chat?prompt={text}",
  ),
  "github-copilot": site(
    "GitHub Copilot",
    "https://github.com/copilot",
    "https://github.com/copilot?prompt={text}",
  ),
  perplexity: site("Perplexity", "https://www.perplexity.ai/", "https://www.perplexity.ai/search?q={text}"),
  aistudio: site(
    "Google AI Studio",
    "https://aistudio.google.com/prompts/new_chat",
    "https://aistudio.google.com/prompts/new_chat?prompt={text}",
  ),
  gemini: { name: "Gemini", platform: "web", page: "https://gemini.google.com/app" },
  "microsoft-copilot": site(
    "Microsoft Copilot",
    "https://copilot.microsoft.com/",
    "https://copilot.microsoft.com/?q={text}",
  ),
  grok: site("Grok", "https://grok.com/", "https://grok.com/?q={text}"),
  t3: site("T3 Chat", "https://t3.chat/new", "https://t3.chat/new?q={text}"),
  meta: site("Meta AI", "https://meta.ai/", "https://meta.ai/?prompt={text}"),
  v0: site("v0", "https://v0.app/chat", "https://v0.app/chat?q={text}"),
  bolt: site("Bolt", "https://bolt.new/", "https://bolt.new/?prompt={text}"),
  zed: program("Zed", "editor", "https://zed.dev/", "zed://agent?prompt={text}"),
  codex: program("Codex", "desktop", "https://chatgpt.com/codex", "codex://new?prompt={text}"),
  // Its link with a prompt needs the folder to work in, which the registry does not know.
  opencode: { name: "OpenCode", platform: "desktop", page: "https://opencode.ai/" },
} as const satisfies Record<string, OpenTool>;

/** The id of a tool in which prompts can be opened. */
export type OpenTargetId = keyof typeof openTargets;
/** The ids of all tools in which prompts can be opened. */
export const openTargetIds = Object.keys(openTargets) as OpenTargetId[];

/** A tool, whatever it has. */
export const openTool = (id: OpenTargetId): OpenTool => openTargets[id];

/** The kinds of prompts that a tool takes: without links, all. */
export const kindsOfTool = ({ links }: OpenTool): PromptKind[] =>
  promptKinds.filter((kind) => links === undefined || links[kind] !== undefined);

/** What the links of a tool do. */
export const modeOfTool = ({ links, formats }: OpenTool): OpenMode =>
  links === undefined ? "copy" : formats === undefined ? "prefill" : "install";
