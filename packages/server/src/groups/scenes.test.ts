import { existsSync } from "node:fs";
import { contract, listOperations, targetKinds } from "@promptreg/core";
import { expect, test } from "vitest";
import { groupScenes, kindScenes, operationScenes } from "../../test/group-scenes.ts";

test("every operation, and every kind of target, has a scene", () => {
  const ids = listOperations(contract).map(({ id }) => id);
  expect(Object.keys(operationScenes).sort()).toEqual(ids.sort());
  expect(Object.keys(kindScenes).sort()).toEqual(Object.keys(targetKinds).sort());
});

test.each(Object.keys(contract))("the group %s has its scenes, and is held against the contract", (group) => {
  expect(groupScenes).toHaveProperty(group);
  const folder = group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  expect(existsSync(new URL(`${folder}/contract.test.ts`, import.meta.url))).toBe(true);
});
