import type { LockedPrompt } from "@promptreg/client";
import { variableTypes } from "@promptreg/core/template";
import { isObject } from "../terminal/objects.ts";

const isText = (value: unknown): value is string => typeof value === "string";
const isListOf = (value: unknown, isOne: (item: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && isOne(item));

/** Whether all that is read of a locked prompt is there: people and merges change lockfiles too. */
export const isLockedPrompt = (value: unknown): value is LockedPrompt =>
  isObject(value) &&
  Number.isInteger(value["version"]) &&
  isText(value["contentHash"]) &&
  isText(value["entry"]) &&
  isObject(value["config"]) &&
  isListOf(
    value["files"],
    ({ path, content, encoding }) => isText(path) && isText(content) && isText(encoding),
  ) &&
  isListOf(
    value["variables"],
    ({ name, type, required, options }) =>
      isText(name) &&
      variableTypes.some((known) => known === type) &&
      typeof required === "boolean" &&
      (options === undefined || (Array.isArray(options) && options.every(isText))),
  );
