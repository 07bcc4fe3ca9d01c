import { expect, test } from "vitest";
import { licenseOf } from "./license.ts";

const mit = `Copyright (c) 2026 Ada

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.`;
const apache = `Apache License
                           Version 2.0, January 2004

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION`;
const bsd =
  "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met:";
const isc =
  "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted";
const gpl = `GNU GENERAL PUBLIC LICENSE
                       Version 3, 29 June 2007
 How to Apply These Terms: under the terms of the GNU General Public License as published by the
 Free Software Foundation, either version 3 of the License, or (at your option) any later version.`;
const notice = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU Lesser General
 Public License as published by the Free Software Foundation, either version 2.1 of the License, or (at your option) any later version.`;

test.each([
  ["MIT", mit],
  ["MIT", mit.replaceAll("\n", "\r\n").replace(/^/gm, "   ").replaceAll('"', "“")],
  ["MIT-0", mit.replace(/The above[^.]*\./, "")],
  ["Apache-2.0", apache],
  ["BSD-2-Clause", bsd],
  [
    "BSD-3-Clause",
    `${bsd} Neither the name of the copyright holder may be used to endorse or promote products`,
  ],
  [
    "ISC",
    `${isc}, provided that the above copyright notice and this permission notice appear in all copies.`,
  ],
  ["0BSD", `${isc}.`],
  ["Unlicense", "This is free and unencumbered software released into the public domain."],
  ["BSL-1.0", "Boost Software License - Version 1.0 - August 17th, 2003"],
  ["BUSL-1.1", "Business Source License 1.1\nThe Licensor hereby grants you the right to copy"],
  ["MPL-2.0", "Mozilla Public License Version 2.0\n1.1. “Contributor”"],
  ["CC0-1.0", "CC0 1.0 Universal\n(the “Affirmer”)"],
  ["CC-BY-4.0", "Creative Commons\n\nAttribution 4.0 International"],
  ["CC-BY-SA-4.0", "# Attribution-ShareAlike 4.0 International"],
  ["CC-BY-NC-ND-4.0", "Attribution-NonCommercial-NoDerivatives 4.0 International"],
  ["GPL-3.0-only", gpl],
  ["GPL-2.0-only", "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991"],
  ["AGPL-3.0-only", "GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007"],
  ["LGPL-2.1-or-later", notice],
  ["LGPL-2.1-or-later", `${notice}\nGNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1, February 1999`],
  ["MIT OR Apache-2.0", "SPDX-License-Identifier: mit or apache-2.0\n"],
  ["MIT", "<!-- SPDX-License-Identifier: MIT -->\n"],
])("%s is known by its text", (id, text) => {
  expect(licenseOf(text)).toBe(id);
});

const more = "Nobody may use it on Mondays. ".repeat(120);

test.each([
  mit,
  mit.replace(/The above[^.]*\./, ""),
  bsd,
  `${bsd} Neither the name of the copyright holder may be used to endorse or promote products`,
  `${isc}, provided that the above copyright notice and this permission notice appear in all copies.`,
  `${isc}.`,
  "This is free and unencumbered software released into the public domain.",
  "Boost Software License - Version 1.0 - August 17th, 2003",
])("%.30s… and a page of conditions behind it are no known license", (text) => {
  expect(licenseOf(text)).not.toBeNull();
  expect(licenseOf(`${text}\n${more}`)).toBeNull();
});

test("a license of a page has 3,500 characters at most", () => {
  const boost = "boost software license - version 1.0 ";
  expect(licenseOf(boost.padEnd(3_500, "x"))).toBe("BSL-1.0");
  expect(licenseOf(boost.padEnd(3_501, "x"))).toBeNull();
});

test("a license of many pages may have more behind it, up to 60,000 characters", () => {
  expect(licenseOf(`${apache}\n${more}`)).toBe("Apache-2.0");
  expect(licenseOf(apache.padEnd(60_000))).toBe("Apache-2.0");
  expect(licenseOf(apache.padEnd(60_001))).toBeNull();
});

test.each([
  ["two licenses", `${mit}\n\n${apache}`],
  ["conditions of one's own", `${mit}\n\n“Commons Clause” License Condition v1.0`],
  ["all rights reserved", "© 2026 Ada. All rights reserved."],
  ["a word about a license", "The MIT license is fine."],
  ["nothing", ""],
  ["one letter a million times", "a".repeat(1_000_000)],
])("%s are no known license", (_, text) => {
  expect(licenseOf(text)).toBeNull();
});
