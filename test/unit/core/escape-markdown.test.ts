import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkdown, markdownCode } from "../../../src/core/escape-markdown.ts";

const nothing = "&#8203;";

describe("escapeMarkdown", () => {
  it.each([
    { reason: "plain words", text: "eu west is ready, 3 of 4.", expected: "eu west is ready, 3 of 4." },
    {
      reason: "HTML",
      text: "<img src=x onerror=alert(1)>&amp;",
      expected: `&lt;img src=x onerror=alert(1)&gt;&amp;${nothing}amp;`,
    },
    {
      reason: "emphasis, code and links",
      text: "*a* _b_ `c` [d](e) ![f](g)",
      expected: "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\!\\[f\\](g)",
    },
    { reason: "cells of a table", text: "a|b", expected: "a\\|b" },
    { reason: "line ends and terminal codes", text: "a\r\nb\u001b[31mc\u0000d", expected: "a b \\[31mc d" },
    { reason: "marks that turn the direction", text: "a\u202eb", expected: "a\\\\u{202e}b" },
    { reason: "headings", text: "# a", expected: "\\# a" },
    { reason: "lists", text: "1. a", expected: "1\\. a" },
    { reason: "bullets", text: "- a", expected: "\\- a" },
    { reason: "commands", text: "/merge", expected: "\\/merge" },
    { reason: "mentions", text: "hi @admin", expected: `hi @${nothing}admin` },
    { reason: "references", text: "#12 !34", expected: `\\#${nothing}12 \\!${nothing}34` },
    {
      reason: "references by the name of a tracker",
      text: "GH-26 (gh-7) OPS-12 gh-actions eu-1 v1-2",
      expected: `GH-${nothing}26 (gh-${nothing}7) OPS-${nothing}12 gh-actions eu-1 v1-2`,
    },
    { reason: "references to epics", text: "&12", expected: `&amp;${nothing}12` },
    {
      reason: "addresses",
      text: "https://evil.example.com www.evil.com",
      expected: `https:${nothing}//evil.example.com www${nothing}.evil.com`,
    },
  ])("takes the meaning from $reason", ({ text, expected }) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  it("leaves no line end and no bracket, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const escaped = escapeMarkdown(text);
        expect(escaped).not.toMatch(/[<>\n\r]|(?<!\\)(?:\\\\)*[|`*[\]]/u);
        expect(escaped).not.toMatch(/@\w|:\/\//u);
      }),
    );
  });

  it("leaves no reference to an issue, whatever is around it", () => {
    // Sources: GitHub, "Autolinked references and URLs"; GitLab, "GitLab-specific references"; Jira, keys of issues.
    const reference = /(?<![\p{L}\p{N}])(?:gh-|[A-Z][A-Z0-9]*-|[#!])\d/u;
    const part = fc.constantFrom("GH", "gh", "OPS", "-", "#", "26", "_", "(");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        // As a reader of the rendered text sees it.
        const rendered = escapeMarkdown(parts.join(""))
          .replaceAll("&amp;", "&")
          .replaceAll(nothing, "\u200b")
          .replaceAll(/\\(?=\W)|\\(?=_)/gu, "");
        expect(rendered).not.toMatch(reference);
      }),
    );
  });
});

describe("markdownCode", () => {
  it.each([
    { text: "clusters/eu-1.yaml", expected: "<code>clusters&#47;eu&#45;1&#46;yaml</code>" },
    { text: "</code><script>", expected: "<code>&#60;&#47;code&#62;&#60;script&#62;</code>" },
    { text: "a|b`c\nd", expected: "<code>a&#124;b&#96;c d</code>" },
    { text: "@admin", expected: "<code>&#64;admin</code>" },
    { text: "größe 漢", expected: "<code>größe 漢</code>" },
  ])("shows $text as it is", ({ text, expected }) => {
    expect(markdownCode(text)).toBe(expected);
  });

  it("has nothing but letters, digits, blanks and entities within", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(markdownCode(text)).toMatch(/^<code>(?:[\p{L}\p{N}\p{M} ]|&#\d+;)*<\/code>$/u);
      }),
    );
  });
});
