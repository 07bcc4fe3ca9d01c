import type { PromptKind } from "../content/kinds.ts";
import { FormatError } from "./format.ts";
import type { FormatName } from "./names.ts";

/** Where a tool keeps prompts of a kind. */
export interface Place {
  format: FormatName;
  /** The folder in a project, if it is not that of the format. It goes to `writeFormat`. */
  folder?: string;
  /** The folder for all projects of a user, below the home directory. Absent: the tool has none, or documents none. */
  home?: string;
}

/** A tool for which prompts are installed. */
export interface Tool {
  title: string;
  places: Partial<Record<PromptKind, Place>>;
}

/** A place for texts, which a user calls by name as commands. */
const called = (place: Place) => ({ text: place, command: place });

const skills = (folder: string, home: string): Place => ({ format: "agent-skill", folder, home });

/** The tools for which a prompt can be installed. Sources: decision 0023. */
export const tools = {
  claude: {
    title: "Claude Code",
    places: {
      ...called({ format: "claude-command", home: ".claude/commands" }),
      skill: skills(".claude/skills", ".claude/skills"),
      agent: { format: "claude-agent", home: ".claude/agents" },
      // Its rules are written as those of Cline: Markdown with a list of `paths`.
      rule: { format: "cline-rule", folder: ".claude/rules", home: ".claude/rules" },
    },
  },
  cursor: {
    title: "Cursor",
    places: {
      ...called({ format: "cursor-command", home: ".cursor/commands" }),
      skill: skills(".cursor/skills", ".cursor/skills"),
      agent: { format: "claude-agent", folder: ".cursor/agents", home: ".cursor/agents" },
      rule: { format: "cursor-rule" },
    },
  },
  copilot: {
    title: "GitHub Copilot in VS Code",
    places: {
      ...called({ format: "copilot-prompt" }),
      chat: { format: "copilot-prompt" },
      skill: skills(".github/skills", ".copilot/skills"),
      agent: { format: "copilot-agent" },
      rule: { format: "copilot-instructions", home: ".copilot/instructions" },
    },
  },
  windsurf: {
    title: "Windsurf",
    places: {
      ...called({ format: "windsurf-workflow", home: ".codeium/windsurf/global_workflows" }),
      skill: skills(".windsurf/skills", ".codeium/windsurf/skills"),
      rule: { format: "windsurf-rule" },
    },
  },
  cline: {
    title: "Cline",
    places: {
      ...called({ format: "cline-workflow", home: "Documents/Cline/Workflows" }),
      skill: skills(".cline/skills", ".cline/skills"),
      rule: { format: "cline-rule", home: "Documents/Cline/Rules" },
    },
  },
  continue: {
    title: "Continue",
    places: {
      ...called({ format: "continue-prompt", home: ".continue/prompts" }),
      skill: skills(".continue/skills", ".continue/skills"),
      rule: { format: "continue-rule", home: ".continue/rules" },
    },
  },
  gemini: {
    title: "Gemini CLI",
    places: {
      ...called({ format: "gemini-command", home: ".gemini/commands" }),
      skill: skills(".gemini/skills", ".gemini/skills"),
    },
  },
  codex: {
    title: "Codex",
    places: {
      // It deprecates its custom prompts for skills.
      ...called(skills(".agents/skills", ".agents/skills")),
      skill: skills(".agents/skills", ".agents/skills"),
      agent: { format: "agents-md", home: ".codex" },
      rule: { format: "agents-md", home: ".codex" },
    },
  },
  opencode: {
    title: "OpenCode",
    places: {
      ...called({ format: "opencode-command", home: ".config/opencode/commands" }),
      skill: skills(".opencode/skills", ".config/opencode/skills"),
      rule: { format: "agents-md", home: ".config/opencode" },
    },
  },
  agents: {
    title: "AGENTS.md and .agents/skills",
    places: {
      ...called(skills(".agents/skills", ".agents/skills")),
      skill: skills(".agents/skills", ".agents/skills"),
      agent: { format: "agents-md" },
      rule: { format: "agents-md" },
    },
  },
} as const satisfies Record<string, Tool>;

/** The name of a tool for which prompts are installed. */
export type ToolName = keyof typeof tools;
/** The names of all tools. */
export const toolNames = Object.keys(tools) as ToolName[];

/**
 * Where a tool keeps prompts of a kind, and in which format.
 * @throws {FormatError} `format_not_supported` for a kind that it cannot take.
 */
export function placeFor(tool: ToolName, kind: PromptKind): Place {
  const { title, places }: Tool = tools[tool];
  const place = places[kind];
  if (place !== undefined) return place;
  const kinds = Object.keys(places).toSorted().join(", ");
  throw new FormatError(
    "format_not_supported",
    `${title} takes no prompts of kind ${kind}. It takes ${kinds}.`,
  );
}
