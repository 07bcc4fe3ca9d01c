import type { PromptKind } from "@promptreg/core";

const markdown = `Write to {{name}} in a few friendly sentences.
`;

const withSettings = `---
variables:
  - name: question
    description: What was asked
  - name: tone
    type: enum
    options: [friendly, brief]
    default: friendly
---
Answer the question below. Your tone is {{tone}}.

{{question}}
`;

const chat = `{
  "variables": [{ "name": "question", "description": "What was asked" }],
  "messages": [
    { "role": "system", "content": "You answer in a few friendly sentences." },
    { "role": "user", "content": "{{question}}" }
  ]
}
`;

/** What a new entry file holds: something that can be pushed as it is, and shows how variables are written. */
export function starterOf(kind: PromptKind, slug: string): string {
  const about = `name: ${slug}\ndescription: What it does, and when to use it.`;
  const starters: Record<PromptKind, string> = {
    text: withSettings,
    chat,
    media: markdown,
    skill: `---\n${about}\n---\n\n# Steps\n\n1. Look at what is there.\n2. Do what was asked.\n`,
    agent: `---\n${about}\n---\n\nYou do one thing, and say when it is done.\n`,
    rule: `---\ndescription: What it asks for.\n---\n\nWrite short sentences.\n`,
    command: `---\ndescription: What it does.\n---\n\nDo this: {{args}}\n`,
  };
  return starters[kind];
}
