/** Templates for applications: small, and without dependencies. */

export { withoutFrontmatter } from "./frontmatter.ts";
export {
  placeholders,
  RenderError,
  type Rendered,
  type RenderOptions,
  render,
  type Values,
} from "./render.ts";
export {
  type Json,
  type Variable,
  type VariableType,
  valueProblem,
  variableTypes,
} from "./variable.ts";
export {
  type AssistantMessage,
  type ChatItem,
  type ChatMessage,
  type ChatPart,
  type ChatToolCall,
  type RenderableVersion,
  type RenderedVersion,
  type RenderVersionOptions,
  renderVersion,
  type SystemMessage,
  type ToolMessage,
  type UserMessage,
  usedIn,
} from "./version.ts";
