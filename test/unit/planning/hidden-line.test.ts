import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOfTrailers } from "../../../src/planning/approvals.ts";

const line = "Rollcall-Allow-Deletions: 500";

/** What hides text until something ends it; with what a stranger may write behind the line, to end it after all. */
const hiding: readonly { readonly start: string; readonly end: string }[] = [
  { start: "Note: <!--", end: "End: -->" },
  { start: "Note: <!-->", end: "End: -->" },
  { start: "Note: <?x", end: "End: ?>" },
  { start: 'Note: [x](https://forge.example "', end: 'End: ")' },
  { start: "Note: [x](<", end: "End: >)" },
  { start: "Note: ![", end: "End: ](https://forge.example/x.png)" },
  { start: 'Note: <a title="', end: 'End: ">' },
  { start: 'Note: <a title=">', end: 'End: ">' },
  { start: "Note: $$\\phantom{", end: "End: }$$" },
];

/** The same, also over paragraphs. */
const hidingFurther: typeof hiding = [
  { start: "<!--", end: " -->" },
  { start: "<!--->", end: " -->" },
  ...["style", "SCRIPT", "title", "textarea", "noscript", "iframe", "object", "svg", "template"].map((name) => ({
    start: `<${name}>`,
    end: ` </${name}>`,
  })),
  { start: "<details>\n<summary>Log</summary>", end: " </details>" },
  { start: '<div title=">', end: ' "></div>' },
  { start: "```mermaid\ngraph TD\naccDescr {", end: " }\n ```" },
  { start: "~~~~ mermaid\ngraph TD\naccDescr {", end: " }\n ~~~~" },
  { start: "```math\n\\phantom{", end: " }\n ```" },
  { start: "$$\n\\phantom{", end: " }\n $$" },
];

/** What a forge shows, and what hides nothing behind it. */
const shown = [
  "Text.",
  "Drops Map<string, Cluster> and `<b>`.",
  "<!-- of a template -->",
  "```yaml\nkind: Cluster\n```",
  "- [x] tested\n- see [docs](https://forge.example)",
  "costs $5 and $6",
];
const shownTrailers = [
  "Note: long\n text",
  "Reviewed-on: https://forge.example/x/7",
  "Co-authored-by: Ann Li <ann@example.com>",
  "Co-authored-by: renovate[bot] <1+renovate[bot]@users.example.com>",
  "(cherry picked from commit 0123456)",
];

const paragraphs = fc.array(fc.constantFrom(...shown), { maxLength: 3 });
const trailers = fc.array(fc.constantFrom(...shownTrailers), { maxLength: 3 });

describe("A59 a line that approves removals", () => {
  it("does not count where a forge may hide it, whatever is around it", () => {
    const inParagraph = fc
      .tuple(paragraphs, trailers, fc.constantFrom(...hiding, ...hidingFurther), trailers)
      .map(([above, before, { start, end }, behind]) => {
        // In a paragraph of trailers, a line that begins with a blank continues the one before.
        const opening = start.replaceAll(/^(?!Note)/gmu, " ");
        return ["Fix (#7)", ...above, ["A: b", ...before, opening, line, end, ...behind].join("\n")].join("\n\n");
      });
    const overParagraphs = fc
      .tuple(paragraphs, fc.constantFrom(...hidingFurther), paragraphs, trailers)
      .map(([above, { start, end }, between, before]) => {
        // What stands between must not end what is open.
        const text = between.filter((part) => !/-->|```|\$/u.test(part));
        return ["Fix (#7)", ...above, start, ...text, [...before, line, end].join("\n")].join("\n\n");
      });
    fc.assert(
      fc.property(fc.oneof(inParagraph, overParagraphs), fc.constantFrom("\n", "\r\n"), (message, lineEnd) => {
        expect(countOfTrailers(message.replaceAll("\n", lineEnd)), message).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("counts where everybody sees it", () => {
    fc.assert(
      fc.property(paragraphs, trailers, trailers, (above, before, behind) => {
        const message = ["Fix (#7)", ...above, [...before, line, ...behind].join("\n")].join("\n\n");
        expect(countOfTrailers(message), message).toBe(500);
      }),
    );
  });

  it.each([
    ["the title of a definition", ` [x]: /u "\n${line}\nEnd: "`],
    ["a footnote that nothing refers to", ` [^x]: note\n${line}`],
    ["a definition behind a heading", `A: b\n ---\n [x]: /u "\n${line}\nEnd: "`],
  ])("does not count in %s", (_where, paragraph) => {
    expect(countOfTrailers(`Fix (#7)\n\n${paragraph}`)).toBeUndefined();
  });
});
