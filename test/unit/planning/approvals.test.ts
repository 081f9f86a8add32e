import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import {
  chargeApprovals,
  countOfTrailers,
  mergeApprovals,
  parseCommandApproval,
} from "../../../src/planning/approvals.ts";

describe("countOfTrailers", () => {
  it("reads the largest count of the last paragraph", () => {
    const trailers = "Rollcall-Allow-Deletions: 3\nReviewed-by: x\nrollcall-allow-deletions: 12";
    expect(countOfTrailers(`More\n\n${trailers}`)).toBe(12);
  });

  it.each(["Rollcall-Allow-Deletions: 5\n\nThe end.", "x\n\nRollcall-Allow-Deletions: all", "x\n\nAllow-Deletions: 2"])(
    "takes no approval from %j",
    (message) => {
      expect(countOfTrailers(message)).toBeUndefined();
    },
  );
});

describe("A59 a message that a stranger may have written", () => {
  const line = "Rollcall-Allow-Deletions: 500";
  it.each([
    ["a title with another separator of lines", `Merge pull request #7 from x/y\n\nFix a typo\u2028${line}`],
    ["a title with a paragraph separator", `Fix a typo\u2029\u2029${line}\u2029 (#7)`],
    ["a title with a carriage return", `Fix a typo\r\r${line}\r (#7)`],
    ["a comment that no forge shows", `Fix (#7)\n\n<!--\n${line}\n-->`],
    ["a comment that begins earlier", `Fix (#7)\n\nText. <!-- a -> b\n\n${line}`],
    ["a comment that ends behind it", `Fix (#7)\n\n<!-- --> <!--\n\n${line}\nX: -->`],
    ["a declaration", `Fix (#7)\n\n<?x\n\n${line}`],
    ["the title of a link, which no forge shows", `Fix (#7)\n\n[x]: y "\n${line}\n"`],
    ["an attribute", `Fix (#7)\n\n<img alt="\n${line}\n">`],
  ])("approves nothing by %s", (_how, message) => {
    expect(countOfTrailers(message)).toBeUndefined();
  });

  it.each([
    `Fix (#7)\r\n\r\nText.\r\n\r\n${line}\r\n`,
    `Fix (#7)\n\n<!-- of a template -->\n\nText <b>\n\n${line}\n\n`,
    `Fix (#7)\n\n${line}\nReviewed-on: https://forge.example/x/7\nNote: long\n text\n(cherry picked from commit 0123456)\n`,
  ])("still approves where everybody sees it: %j", (message) => {
    expect(countOfTrailers(message)).toBe(500);
  });
});

describe("parseCommandApproval", () => {
  it("reads a commit, a count and a time; the time may be missing", () => {
    expect(parseCommandApproval("0123456789ab 4 2026-11-21T04:00:00Z")).toEqual({
      commit: "0123456789ab",
      by: "Command",
      time: "2026-11-21T04:00:00Z",
      count: 4,
      spent: 0,
    });
    expect(parseCommandApproval("0123456 4")).toMatchObject({ commit: "0123456", count: 4 });
    expect(parseCommandApproval("01234 4")).toBeUndefined();
  });
});

describe("A59 an approval", () => {
  const trailer = (commit: string, count: number, spent = 0): RemovalApproval => ({
    commit,
    by: "Trailer",
    count,
    spent,
  });

  it("is not charged for more than is left of it, nor for what it does not cover", () => {
    const approvals = [
      { approval: trailer("a", 3, 2), covers: new Set(["x", "y"]) },
      { approval: trailer("b", 2), covers: undefined },
    ];
    expect([...chargeApprovals(["w", "x", "y", "z"], approvals)]).toEqual([
      ["x", "Trailer/a"],
      ["w", "Trailer/b"],
      ["y", "Trailer/b"],
    ]);
  });

  it("that is known keeps what is spent of it when its commit is read again", () => {
    expect(mergeApprovals([trailer("a", 4, 4)], [trailer("a", 4), trailer("b", 1)])).toEqual([
      trailer("a", 4, 4),
      trailer("b", 1),
    ]);
  });
});
