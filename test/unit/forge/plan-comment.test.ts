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

  it("A44 lets no name end the marker", () => {
    const repository = 'x --> <img src=x onerror="alert(1)"> <!--';
    const [line = ""] = renderPlanComment({ ...comment, repository }, 1000).split("\n");
    expect(line).toMatch(/^<!-- rollcall:plan repository=[\w.-]+ base=\S+ head=\S+ -->$/u);
    expect(readPlanMarker(line)?.repository).toBe(markerName(repository));
  });
});

describe("readPlanMarker", () => {
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
});
