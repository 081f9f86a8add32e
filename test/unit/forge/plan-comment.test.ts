import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cutMarkdown,
  markerName,
  readPlanMarker,
  renderPlanComment,
  voidPlanComment,
} from "../../../src/forge/plan-comment.ts";

const base = "a".repeat(40);
const head = "b".repeat(64);
const comment = { pullRequest: 1, repository: "ns.fleet", base, head, markdown: "## Plan\n\nnothing changes" };

describe("renderPlanComment", () => {
  it("starts with a marker that readers do not see", () => {
    const body = renderPlanComment(comment, 1000);
    expect(body).toBe(
      `<!-- rollcall:plan repository=ns.fleet base=${base} head=${head} -->\n## Plan\n\nnothing changes`,
    );
    expect(readPlanMarker(body)).toEqual({ repository: "ns.fleet", base, head, isVoid: false });
  });

  it("is cut only where it is longer than the forge takes", () => {
    const whole = renderPlanComment(comment, 1000);
    expect(renderPlanComment(comment, whole.length)).toBe(whole);
    expect(renderPlanComment(comment, whole.length - 1)).toContain("was cut here");
  });

  it("A44 lets no name end the marker", () => {
    const repository = 'x --> <img src=x onerror="alert(1)"> <!--';
    const [line = ""] = renderPlanComment({ ...comment, repository }, 1000).split("\n");
    expect(line).toMatch(/^<!-- rollcall:plan repository=[\w.-]+ base=\S+ head=\S+ -->$/u);
    expect(readPlanMarker(line)?.repository).toBe(markerName(repository));
  });
});

describe("readPlanMarker", () => {
  it.each(["\r\n", "\n", "  \n", ""])("finds one at the end of the first line (%j)", (end) => {
    const line = `<!-- rollcall:plan repository=a base=${base} head=${head} void -->`;
    expect(readPlanMarker(`${line}${end}`)).toEqual({ repository: "a", base, head, isVoid: true });
  });

  it.each([
    "",
    "hello",
    "<!-- rollcall:plan -->",
    `text <!-- rollcall:plan repository=a base=${base} head=${head} -->`,
    `\n<!-- rollcall:plan repository=a base=${base} head=${head} -->`,
    "<!-- rollcall:plan repository=a base=x head=y -->",
  ])("finds none in %j", (body) => {
    expect(readPlanMarker(body)).toBeUndefined();
  });
});

describe("voidPlanComment", () => {
  it("shows it at the top, keeps the plan folded, and shows it once", () => {
    const body = renderPlanComment(comment, 1000);
    const voided = voidPlanComment(body, head, 2000) ?? "";
    expect(voided.split("\n").slice(0, 3)).toEqual([
      `<!-- rollcall:plan repository=ns.fleet base=${base} head=${head} void -->`,
      "> **This plan is void.** The target branch has moved from aaaaaaaaaaaa to bbbbbbbbbbbb since it was made.",
      "> What a merge will do may be something else; a new plan takes this one's place.",
    ]);
    expect(voided).toContain("nothing changes\n\n</details>");
    expect(voidPlanComment(voided, "c".repeat(40), 2000)).toBeUndefined();
    expect(voidPlanComment(body, base, 2000)).toBeUndefined();
    expect(voidPlanComment("somebody's comment", head, 2000)).toBeUndefined();
  });

  it("keeps a plan whole that is as long as the forge takes", () => {
    const body = renderPlanComment(comment, 1000);
    const voided = voidPlanComment(body, head, 2000) ?? "";
    expect(voidPlanComment(body, head, voided.length)).toBe(voided);
    expect(voidPlanComment(body, head, voided.length - 1)).toContain("was cut here");
  });

  it("stays within the length, however long the plan was", () => {
    const body = renderPlanComment({ ...comment, markdown: "line\n".repeat(5000) }, 5000);
    const voided = voidPlanComment(body, head, 5000) ?? "";
    expect(voided.length).toBeLessThanOrEqual(5000);
    expect(voided).toContain("was cut here");
  });
});

describe("cutMarkdown", () => {
  it("is never longer than allowed, and ends at a line", () => {
    const lines = fc.array(fc.constantFrom("text", "```", "<details>", "</details>", "~~~", "x".repeat(300)), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 500, max: 3000 }), (parts, maximum) => {
        const markdown = parts.join("\n");
        const cut = cutMarkdown(markdown, maximum);
        expect(cut.length).toBeLessThanOrEqual(maximum);
        if (markdown.length <= maximum) expect(cut).toBe(markdown);
      }),
    );
  });

  it.each([
    { reason: "nothing is open", lines: ["text"], closed: "" },
    { reason: "a fence is open", lines: ["text", "```yaml", "a: 1"], closed: "\n```" },
    { reason: "an indented fence of tildes is open", lines: ["  ~~~ yaml"], closed: "\n~~~" },
    { reason: "the only fence is closed", lines: ["```", "a: 1", "```"], closed: "" },
    { reason: "the second fence is open", lines: ["```", "```", "~~~"], closed: "\n~~~" },
    { reason: "a line has a fence in it", lines: ["text ```"], closed: "" },
    { reason: "a part is folded", lines: ["<details><summary>x</summary>"], closed: "\n</details>" },
    {
      reason: "one of two parts is closed",
      lines: ["<details>", "</details>", "<details open>"],
      closed: "\n</details>",
    },
    { reason: "more is closed than was open", lines: ["</details>", "</details>"], closed: "" },
    { reason: "a fence is open in a folded part", lines: ["<details>", "```"], closed: "\n```\n</details>" },
    { reason: "twelve parts are open", lines: Array(12).fill("<details>"), closed: "\n</details>".repeat(10) },
  ])("closes what was open where $reason", ({ lines, closed }) => {
    const kept = lines.join("\n");
    const cut = cutMarkdown(`${kept}\n${"x".repeat(2000)}`, 800);
    expect(cut.split("\n\n**The plan is longer")[0]).toBe(kept + closed);
  });

  it("keeps nothing of a line that is too long by itself", () => {
    expect(cutMarkdown("x".repeat(2000), 800)).toMatch(/^\n\n\*\*The plan is longer/u);
    expect(cutMarkdown("\n".repeat(300), 200)).toMatch(/^\n\n\*\*The plan is longer/u);
  });
});
