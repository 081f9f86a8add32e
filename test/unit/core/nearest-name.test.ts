import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/core/nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["replicas", ["replicas"], "replicas"],
    ["Replicas", ["replicas"], "replicas"],
    ["replcas", ["replicas"], "replicas"], // one is missing
    ["repllicas", ["replicas"], "replicas"], // one is too many
    ["replikas", ["replicas"], "replicas"], // one is another
    ["relpicas", ["replicas"], "replicas"], // two are swapped
    ["erplicsa", ["replicas"], "replicas"], // two swaps are two changes
    ["erpilcsa", ["replicas"], undefined], // three are too many
    ["imgae", ["imaged", "image"], "image"], // the one that differs least
    ["image", ["imagf", "imagg"], "imagf"], // the first of two that differ as much
    ["abc", ["abd", "xyc"], "abd"],
    ["abc", ["axy"], undefined],
    ["ab", ["ac", "a", "abc"], "ac"], // one of a short name may differ
    ["ab", ["cd"], undefined],
    ["", ["a"], "a"],
    ["name", [], undefined],
    ["abcdef", ["abcd"], "abcd"],
    ["abcdef", ["abcdefgh"], "abcdefgh"],
    ["abcdef", ["abcdefghi"], undefined],
    ["abcdef", ["badcfe"], undefined],
    ["namespace", ["xxxespace"], "xxxespace"],
    ["namespace", ["xxxxspace"], undefined],
    ["abcdefghi", ["abcdefxyi", "abcdefghj", "abcdefgxj"], "abcdefghj"],
    ["abcd", ["xycd"], undefined], // no two letters are swapped, nor one of two
    ["abcd", ["bxcd"], undefined],
    ["abcd", ["xacd"], undefined],
    ["ca", ["abc"], undefined], // no letter is changed after a swap
  ])("of %j among %j is %j", (name, candidates, nearest) => {
    expect(nearestName(name, candidates)).toBe(nearest);
  });
});
