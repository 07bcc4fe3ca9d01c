import type { ErrorTable } from "../../language/group.ts";

/** The errors that only opening a prompt in a tool has. */
export const openInErrors = {
  prompt_not_public: {
    status: 409,
    message:
      "This tool downloads the prompt itself, without your token. Only public prompts can be opened in it.",
  },
  redirect_refused: {
    status: 422,
    message: "A redirect leads only to https. Open the URL in the details yourself.",
  },
} as const satisfies ErrorTable;
