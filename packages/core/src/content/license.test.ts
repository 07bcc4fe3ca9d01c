import fc from "fast-check";
import { expect, test } from "vitest";
import { readLicense } from "./license.ts";
import { codePoint } from "../testing/code-point.ts";

test.each([
  ["MIT"],
  ["Apache-2.0 OR MIT"],
  ["(MIT OR Apache-2.0) AND CC-BY-4.0"],
  ["((MIT))"],
  ["GPL-2.0+"],
  ["GPL-2.0-only WITH Classpath-exception-2.0 OR (0BSD)"],
  ["Nokia"],
  ["LicenseRef-house-rules"],
  ["DocumentRef-spdx-tool-1.2:LicenseRef-MIT-Style-2"],
  ["MIT WITH AdditionRef-more"],
  ["CDDL-1.0+ WITH DocumentRef-x:AdditionRef-y AND X11"],
  ["mit", "MIT"],
  [
    "apache-2.0 or (gpl-3.0-ONLY with classpath-exception-2.0)",
    "Apache-2.0 OR (GPL-3.0-only WITH Classpath-exception-2.0)",
  ],
  ["  ( MIT  AND 0bsd ) ", "(MIT AND 0BSD)"],
  ["agpl-3.0+", "AGPL-3.0+"],
])("%j is an SPDX expression", (text, license = text) => {
  expect(readLicense(text)).toEqual({ license });
  expect(readLicense(license)).toEqual({ license });
});

test.each([
  "",
  "()",
  "(MIT",
  "MIT)",
  ")MIT(",
  "MIT) AND (MIT",
  "MIT OR",
  "OR MIT",
  "MIT MIT",
  "MIT AND OR MIT",
  "MIT (MIT)",
  "(MIT) MIT",
  "MIT WITH",
  "MIT WITH MIT",
  "MIT WITH AdditionRef-a WITH AdditionRef-b",
  "(MIT) WITH Classpath-exception-2.0",
  "MIT WITH (Classpath-exception-2.0)",
  "Classpath-exception-2.0",
  "AdditionRef-a",
])("%j does not parse", (text) => {
  expect(readLicense(text)).toEqual({ problem: expect.stringContaining("must be an SPDX expression") });
});

test.each([
  ["MIT and more", "more"],
  ["All rights reserved", "All"],
  ["MIT ORApache-2.0", "ORApache-2.0"],
  ["MIT++", "MIT++"],
  ["MIT +", "+"],
  ["licenseref-a", "licenseref-a"],
  ["LicenseRef-", "LicenseRef-"],
  ["xLicenseRef-a", "xLicenseRef-a"],
  ["DocumentRef-:LicenseRef-a", "DocumentRef-:LicenseRef-a"],
  ["LicenseRef-a_b", "LicenseRef-a_b"],
  ["MIT\tOR\tMIT", "MIT\tOR\tMIT"],
  ["NONE", "NONE"],
  ["constructor", "constructor"],
])("%j is rejected because of %j", (text, name) => {
  expect(readLicense(text)).toEqual({ problem: expect.stringContaining(JSON.stringify(name)) });
});

test.each([
  ["Apache 2.0", "Apache-2.0"],
  ["Apache License, Version 2.0", "Apache-2.0"],
  ["MIT License", "MIT"],
  ["GPLv3", "GPL-3.0-only"],
  ["GPL-3+", "GPL-3.0-or-later"],
  ["CC BY 4.0", "CC-BY-4.0"],
  ["BSD 3-Clause", "BSD-3-Clause"],
])("%j is rejected, with a suggestion: %s", (text, name) => {
  expect(readLicense(text)).toEqual({ problem: expect.stringContaining(`did you mean ${name}?`) });
});

test.each(["UNLICENSED", "All rights reserved", "Proprietary", "BSD"])(
  "%j is rejected without a suggestion, and with the advice to leave it out",
  (text) => {
    expect(readLicense(text)).toEqual({
      problem: expect.stringContaining("leave it out to reserve all rights"),
    });
  },
);

test("every depth and every text gets a result", () => {
  const deep = 10_000;
  const license = `${"(".repeat(deep)}MIT${")".repeat(deep)}`;
  expect(readLicense(license)).toEqual({ license });
  expect(readLicense(`${license})`)).toHaveProperty("problem");
  const word = fc.constantFrom("MIT", "(", ")", "and", "WITH", "AdditionRef-a", " ", "x");
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ unit: codePoint }))), (words) => {
      const read = readLicense(words.join(" "));
      if ("license" in read) expect(readLicense(read.license)).toEqual(read);
    }),
  );
});
