import { describe, expect, it } from "vitest";
import { renderBootstrapStep } from "../../../../src/cli/render/render-bootstrap.ts";
import { renderCheck } from "../../../../src/cli/render/render-check.ts";
import { renderEvents } from "../../../../src/cli/render/render-events.ts";
import { renderTable } from "../../../../src/cli/render/render-table.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

describe("renderTable", () => {
  it("has columns as wide as their widest cell, whatever their colours", () => {
    const rows = [["A", "LONG", "C"], ["\u001b[31maaa\u001b[39m", "b", ""], ["a"]];
    expect(renderTable(rows)).toBe("A    LONG  C\n\u001b[31maaa\u001b[39m  b\na\n");
  });

  it("continues with the widths of rows that were printed before", () => {
    const widths: number[] = [];
    expect([renderTable([["aaa", "b"]], widths), renderTable([["a", "bb"]], widths)]).toEqual([
      "aaa  b\n",
      "a    bb\n",
    ]);
    expect(widths).toEqual([3, 2]);
  });
});

it.each([
  [{ state: "ok" as const }, "ok       git          it is there\n"],
  [
    { state: "failed" as const, details: ["one", "\u001b"], remedy: "Mend it." },
    "failed   git          it is there\n           one\n           \\u{1b}\n         What to do: Mend it.\n",
  ],
  [{ state: "skipped" as const }, "skipped  git          it is there\n"],
])("renderCheck of %j", (more, text) => {
  expect(renderCheck({ name: "git", message: "it is there", ...more }, false)).toBe(text);
});

it.each([
  ["ok", 32],
  ["failed", 31],
  ["skipped", 33],
] as const)("renderCheck has a colour for %s", (state, colour) => {
  expect(renderCheck({ name: "git", message: "m", state }, true)).toContain(`\u001b[${colour}m${state}`);
});

it.each([
  ["created", "created    commit      m\n                       one\\u{1b}\n", 32],
  ["unchanged", "unchanged  commit      m\n                       one\\u{1b}\n", 2],
  ["planned", "would add  commit      m\n                       one\\u{1b}\n", 33],
] as const)("renderBootstrapStep of %s", (state, text, colour) => {
  const step = { name: "commit", state, message: "m" } as const;
  expect(renderBootstrapStep({ ...step, details: ["one\u001b"] }, false)).toBe(text);
  expect(renderBootstrapStep(step, true)).toContain(`\u001b[${colour}m${text.slice(0, 7)}`);
  expect(renderBootstrapStep(step, false)).toBe(text.slice(0, text.indexOf("\n") + 1));
});

it("renderEvents has a row for each Event, by the time of its last occurrence", () => {
  const nowMs = Date.parse("2026-01-01T00:10:00Z");
  const event = (more: object): KubeObject => ({
    ...{
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e", namespace: "fleet" },
      type: "Normal",
      reason: "Joined",
    },
    ...{ message: "it\u001b joined", involvedObject: { kind: "Cluster", name: "a" }, ...more },
  });
  const lines = renderEvents(
    [
      event({ lastTimestamp: "2026-01-01T00:00:00Z", series: { lastObservedTime: "2026-01-01T00:09:00Z" } }),
      event({ lastTimestamp: "2026-01-01T00:05:00Z", eventTime: "2026-01-01T00:00:00Z" }),
      { apiVersion: "v1", kind: "Event", metadata: { name: "e" } },
    ],
    nowMs,
  ).split("\n");
  expect(lines).toEqual([
    "NAMESPACE  LAST SEEN  TYPE    REASON  OBJECT     MESSAGE",
    "fleet      60s        Normal  Joined  Cluster/a  it\\u{1b} joined",
    "fleet      5m         Normal  Joined  Cluster/a  it\\u{1b} joined",
    "           <unknown>                  /",
    "",
  ]);
});
