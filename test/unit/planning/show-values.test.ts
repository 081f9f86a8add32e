import { describe, expect, it } from "vitest";
import { boundFields, showChange, showValue } from "../../../src/planning/show-values.ts";

describe("showValue", () => {
  it.each([
    [undefined, 5, "unset"],
    ["12345", 5, "12345"],
    ["123456", 5, "1234…"],
    ["😀😀😀", 3, "😀😀😀"],
    ["x".repeat(81), undefined, `${"x".repeat(79)}…`],
  ])("%s, at most %s characters: %s", (json, longest, shown) => {
    expect(longest === undefined ? showValue(json) : showValue(json, longest)).toBe(shown);
  });
});

describe("showChange", () => {
  const long = "a".repeat(100);

  it.each([
    { reason: "short ones", from: '"a"', to: '"b"', shown: ['"a"', '"b"'] },
    { reason: "none before", from: undefined, to: '"b"', shown: [undefined, '"b"'] },
    { reason: "none after", from: '"b"', to: undefined, shown: ['"b"', undefined] },
    { reason: "a long one that ends", from: long, to: undefined, shown: [long, undefined] },
    { reason: "a long one that becomes a short one", from: long, to: "b", shown: [long, "b"] },
    {
      reason: "those that differ in the middle",
      from: `${long}1${long}`,
      to: `${long}23${long}`,
      shown: [`…${"a".repeat(20)}1${"a".repeat(59)}…`, `…${"a".repeat(20)}23${"a".repeat(58)}…`],
    },
    {
      reason: "one that is longer at the end",
      from: long,
      to: `${long}b`,
      shown: [`…${"a".repeat(20)}`, `…${"a".repeat(20)}b`],
    },
    {
      reason: "characters of two units",
      from: `${"😀".repeat(90)}1`,
      to: `${"😀".repeat(90)}2`,
      shown: [`…${"😀".repeat(20)}1`, `…${"😀".repeat(20)}2`],
    },
  ])("A190 shows where values differ: $reason", ({ from, to, shown }) => {
    const field = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const change = showChange(field);
    expect([change.from, change.to]).toEqual(shown);
  });

  it("A190 counts what differs behind the first difference and is not shown", () => {
    const [from, to] = [`1${"a".repeat(500)}3`, `2${"a".repeat(500)}4${"a".repeat(9)}`];
    expect(showChange({ from, to })).toEqual({
      from: `1${"a".repeat(399)}… and 102 more that differ`,
      to: `2${"a".repeat(399)}… and 111 more that differ`,
    });
  });

  it("A190 shows an addition to the same text again and again", () => {
    const change = showChange({ from: long, to: `${long}${long}` });
    expect(change).toEqual({ from: `…${"a".repeat(20)}`, to: `…${"a".repeat(120)}` });
  });
});

describe("boundFields", () => {
  it("A194 shows each field that is in no map, whatever labels precede it", () => {
    const labels = Array.from({ length: 30 }, (_value, index) => ({ path: `metadata.labels[l-${index}]` }));
    const spec = [{ path: "spec.agent.image" }, { path: "spec.hubEndpoint.url" }];
    expect(boundFields([...labels, ...spec], 12)).toEqual({ shown: [...labels.slice(0, 12), ...spec], left: 18 });
    expect(boundFields(labels.slice(0, 12), 12)).toEqual({ shown: labels.slice(0, 12), left: 0 });
  });
});
