import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import {
  chargeApprovals,
  endApprovals,
  countOfTrailers,
  mayBeForgotten,
  mergeApprovals,
  parseCommandApproval,
  spendApprovals,
  waitingOf,
} from "../../../src/planning/approvals.ts";

describe("countOfTrailers", () => {
  it("reads the largest count of the last paragraph", () => {
    const trailers = "Rollcall-Allow-Deletions: 3\nReviewed-by: x\nrollcall-allow-deletions: 12";
    expect(countOfTrailers(`More\n\n${trailers}`)).toBe(12);
    expect(countOfTrailers("x\n \nRollcall-Allow-Deletions:3 \n\t\n\n")).toBe(3);
    expect(countOfTrailers("x\n\nRollcall-Allow-Deletions: \t 4\t\r\n")).toBe(4);
  });

  it.each([
    "",
    "\n\n",
    "Rollcall-Allow-Deletions: 5\n\nThe end.",
    "x\n\nRollcall-Allow-Deletions: all",
    "x\n\nAllow-Deletions: 2",
    "x\n\nNo-Rollcall-Allow-Deletions: 2",
    "x\n\nNote: Rollcall-Allow-Deletions: 2",
    "x\n\nRollcall-Allow-Deletions: 2 of them",
    "x\n\nRollcall-Allow-Deletions: 2,5",
    "x\n\nRollcall-Allow-Deletions: 1000000",
    "x\n\nRollcall-Allow-Deletions: -1",
    "x\n\nRollcall-Allow-Deletions: 2\nno trailer at all",
    "x\n\nRollcall-Allow-Deletions: 2\nfigures: like <x> (cherry picked from commit 0)\nsee below",
  ])("takes no approval from %j", (message) => {
    expect(countOfTrailers(message)).toBeUndefined();
  });
});

describe("A203 a message that a terminal shows as another one", () => {
  const line = "Rollcall-Allow-Deletions: 500";
  it.each([
    ["conceals it", `Fix\n\nSigned-off-by: x\u001b[8m\n${line}`],
    ["conceals it from above", `Fix\u001b[8m\n\n${line}\u001b[0m`],
    ["goes back over it", `Fix\n\n${line}\nSigned-off-by: x\u001b[1A\u001b[2K`],
    ["goes back over it by C1", `Fix\n\n${line}\nSigned-off-by: x\u009b1A`],
    ["writes over its line", `Fix\n\n${line}\nx: y\r\u0008`],
  ])("approves nothing where it %s", (_how, message) => {
    expect(countOfTrailers(message)).toBeUndefined();
  });

  it("may have tabs", () => {
    expect(countOfTrailers(`Fix\n\n\tint a;\n\n${line}`)).toBe(500);
  });
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
    expect(parseCommandApproval("0123456 4")).not.toHaveProperty("time");
    expect(parseCommandApproval("0123456 123456")).toMatchObject({ count: 123_456 });
  });

  it.each([undefined, "", "01234 4", " 0123456 4", "x0123456 4", "0123456 4 ", "0123456 4 today", "0123456 1234567"])(
    "takes %j for none",
    (text) => {
      expect(parseCommandApproval(text)).toBeUndefined();
    },
  );
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

  it("that lapsed lets nothing through any more, and stays lapsed", () => {
    const lapsed = { ...trailer("a", 4, 1), lapsed: true } as const;
    expect(mergeApprovals([trailer("a", 4, 1)], [lapsed])).toEqual([lapsed]);
    expect(mergeApprovals([lapsed], [trailer("a", 4)])).toEqual([lapsed]);
  });

  it("is forgotten beyond a hundred: first what lets nothing through, then the oldest, commands last", () => {
    const command = (count: number, spent: number): RemovalApproval => ({
      commit: "c0",
      by: "Command",
      time: "2027-01-01T00:00:00Z",
      count,
      spent,
    });
    const open = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => trailer(`t${from + index}`, 1));
    const whole = [command(1, 1), trailer("used", 2, 2), { ...trailer("gone", 2), lapsed: true }, ...open(0, 97)];
    expect(mergeApprovals(whole, [])).toEqual(whole);
    expect(mergeApprovals(whole, open(97, 2))).toEqual([whole[0], ...open(0, 99)]);
    expect(mergeApprovals(whole, open(97, 3))).toEqual([whole[0], ...open(1, 99)]);
    // A removal that was perhaps not carried out is charged to it.
    expect(mergeApprovals(whole, open(97, 2), new Set(["Trailer/used"]))).toEqual([whole[0], whole[1], ...open(1, 98)]);
  });

  it("by command may be one that was forgotten, where a hundred newer commands are known", () => {
    const at = (hour: number): RemovalApproval => ({
      commit: "c0",
      by: "Command",
      time: `2027-01-01T${String(hour % 24).padStart(2, "0")}:00:00Z`,
      count: 1,
      spent: 0,
    });
    const commands = Array.from({ length: 100 }, (_, index) => at(index % 10));
    const { time: _time, ...timeless } = at(0);
    expect([at(8), at(9), at(10), timeless].map((one) => mayBeForgotten(one, commands))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(mayBeForgotten(at(1), commands.slice(1))).toBe(false);
    expect(mayBeForgotten(at(1), [trailer("a", 1), ...commands])).toBe(false);
  });

  it("is spent by what is charged to it, and gets back what is not carried out", () => {
    const known = [trailer("a", 3, 1), trailer("b", 2)];
    const charges = [{ id: "x", approval: "Trailer/a" }, { id: "y", approval: "Trailer/a" }, { id: "z" }];
    const spent = spendApprovals(known, charges, 1);
    expect(spent).toEqual([trailer("a", 3, 3), trailer("b", 2)]);
    expect(spendApprovals(spent, charges, -1)).toEqual(known);
    expect(spendApprovals(known, [...charges, ...charges], -1)).toEqual([trailer("a", 3, 0), trailer("b", 2)]);
    expect(waitingOf(charges, [{ id: "y" }])).toEqual([charges[0], charges[2]]);
  });

  it("that is known keeps what is spent of it when its commit is read again", () => {
    expect(mergeApprovals([trailer("a", 4, 4)], [trailer("a", 4), trailer("b", 1)])).toEqual([
      trailer("a", 4, 4),
      trailer("b", 1),
    ]);
  });

  it.each([
    { reason: "nothing waits", waiting: 0, before: trailer("a", 4, 1), after: { ...trailer("a", 4, 1), lapsed: true } },
    { reason: "less waits", waiting: 2, before: trailer("a", 4, 1), after: trailer("a", 3, 1) },
    { reason: "more waits", waiting: 9, before: trailer("a", 4, 1), after: trailer("a", 4, 1) },
    { reason: "it is used up", waiting: 0, before: trailer("a", 4, 4), after: trailer("a", 4, 4) },
  ])("lets no more through than what waits once its commit is settled: $reason", ({ waiting, before, after }) => {
    expect(endApprovals([before], waiting)).toEqual([after]);
  });
});
