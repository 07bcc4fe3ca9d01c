import { readLicense } from "../../content/license.ts";

/** No license is longer: what is holds the licenses of others too. */
const most = 60_000;
/** The same for licenses of a page: what is longer has conditions of its own. */
const mostOfPage = 3_500;

interface Known {
  /** Sentences that its text has, in lower case and without line breaks. */
  has: readonly RegExp[];
  hasNot?: RegExp;
  isPage?: true;
}

const mit =
  /permission is hereby granted, free of charge, to any person obtaining a copy of (?:this|the) software .{1,80}?, to deal in the software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and\/or sell copies of the software/;
const mitCondition =
  /the above copyright notice and this permission notice (?:\(including the next paragraph\) )?shall be included in all copies or substantial portions of the software/;
const redistribution =
  /redistribution and use in source and binary forms, with or without modification, are permitted provided that/;
const endorsement =
  /(?:neither the|the) names? .{1,200}? may (?:not )?be used to endorse or promote products/;
const anyPurpose =
  /permission to use, copy, modify, and(?:\/or)? distribute this software for any purpose with or without fee is hereby granted/;
const isCondition =
  /, provided that the above copyright notice and this permission notice appear in all copies/;

const known: Readonly<Record<string, Known>> = {
  MIT: { has: [mit, mitCondition], isPage: true },
  "MIT-0": { has: [mit], hasNot: mitCondition, isPage: true },
  "Apache-2.0": {
    has: [/apache license,? version 2\.0, january 2004/, /terms and conditions for use, reproduction/],
  },
  "BSD-2-Clause": { has: [redistribution], hasNot: endorsement, isPage: true },
  "BSD-3-Clause": { has: [redistribution, endorsement], isPage: true },
  ISC: { has: [anyPurpose, isCondition], isPage: true },
  "0BSD": { has: [anyPurpose], hasNot: isCondition, isPage: true },
  Unlicense: {
    has: [/this is free and unencumbered software released into the public domain/],
    isPage: true,
  },
  "BSL-1.0": { has: [/boost software license - version 1\.0/], isPage: true },
  "BUSL-1.1": { has: [/business source license 1\.1/, /the licensor hereby grants you the right to copy/] },
  "MPL-2.0": { has: [/mozilla public license,? version 2\.0/, /1\.1\. contributor/] },
  "CC0-1.0": { has: [/cc0 1\.0 universal/, /affirmer/] },
};

/** Conditions that authors add to a license of others, which is another one then. */
const added =
  /commons clause|for good, not evil|all advertising materials|except as contained in this notice|llvm exceptions|no express or implied licenses to any partys patent/;

/** The SPDX expression that a text says of itself in a tag. */
function taggedLicense(text: string): string | null {
  const [, tag] = /SPDX-License-Identifier:[ \t]*([\w.+() -]{1,100})/.exec(text) ?? [];
  const read = tag === undefined ? null : readLicense(tag.trim().replace(/ -->?$/, ""));
  return read !== null && "license" in read ? read.license : null;
}

/**
 * The license whose text this is, as an SPDX expression. Null if it is not widely known, has conditions of its own, or if there are
 * several: a wrong license is worse than none.
 */
export function licenseOf(text: string): string | null {
  if (text.length > most) return null;
  const tagged = taggedLicense(text);
  if (tagged !== null) return tagged;
  const plain = text
    .toLowerCase()
    .replace(/[“”"'‘’`*#>_=]/g, "")
    .replace(/\s+/g, " ");
  if (added.test(plain)) return null;
  const ids = Object.keys(known).filter((id) => {
    const { has, hasNot } = known[id] as Known;
    return has.every((sentence) => sentence.test(plain)) && hasNot?.test(plain) !== true;
  });
  const [id, ...others] = new Set([...ids, ...gnuLicenses(plain), ...creativeCommons(plain)]);
  if (id === undefined || others.length > 0) return null;
  return known[id]?.isPage === true && plain.length > mostOfPage ? null : id;
}

/** The text of such a license allows no later version by itself: a notice above it does, or one that stands alone. */
function gnuLicenses(plain: string): string[] {
  const titles = [
    ...plain.matchAll(
      /gnu (lesser |affero )?general public license version (2\.1|2|3), (?:\d+ )?[a-z]+ \d{4}/g,
    ),
  ];
  const notice =
    /gnu (lesser |affero )?general public license,? as published by the free software foundation[,;:] (?:either )?version (2\.1|2|3)(?:\.0)? of the license(, or \(at your option\) any later version)?/.exec(
      plain.slice(0, titles[0]?.index),
    );
  const later = notice?.[3] === undefined ? "only" : "or-later";
  return [...titles, ...(notice === null ? [] : [notice])].map(
    ([, name = "", version = ""]) =>
      `${{ "lesser ": "L", "affero ": "A" }[name] ?? ""}GPL-${version.includes(".") ? version : `${version}.0`}-${later}`,
  );
}

function creativeCommons(plain: string): string[] {
  const [found, commercial = "", change = ""] =
    /(?:^|[^\w-])attribution(-noncommercial)?(-sharealike|-noderivatives)? 4\.0 international/.exec(plain) ??
    [];
  if (found === undefined) return [];
  const shared = { "-sharealike": "-SA", "-noderivatives": "-ND" }[change] ?? "";
  return [`CC-BY${commercial && "-NC"}${shared}-4.0`];
}
