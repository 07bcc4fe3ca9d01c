import type { Contract } from "./contract.ts";

/** What each group of operations is called and is for, as the documentation shows it. */
export const groups = {
  prompts: {
    title: "Prompts",
    description: "Prompts at `owner/slug`, their immutable versions, and the labels that point to versions.",
  },
  webhooks: {
    title: "Webhooks",
    description: "Signed deliveries of events to an address of yours.",
  },
  evals: {
    title: "Evals",
    description: "Runs that report how a version of a prompt did, case by case.",
  },
  users: {
    title: "Users",
    description: "People, and the account behind a token.",
  },
  watch: {
    title: "Watch",
    description: "Prompts that an account follows, and how closely.",
  },
  notifications: {
    title: "Notifications",
    description: "What an account is told of, here and by mail.",
  },
} as const satisfies Record<keyof Contract, { title: string; description: string }>;
