import { json, op } from "../../operations/operation.ts";
import { PromptPath } from "../prompts/schemas.ts";
import { Starred, Unstarred } from "./schemas.ts";

export const promptStars = {
  /** Stars a prompt. A second star of yours changes nothing. */
  add: op({
    route: "POST /prompts/{owner}/{slug}/star",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    results: { 200: json(Starred) },
    errors: ["prompt_not_published"],
  }),
  /** Removes your star from a prompt, if there is one. */
  remove: op({
    route: "DELETE /prompts/{owner}/{slug}/star",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    results: { 200: json(Unstarred) },
  }),
};
