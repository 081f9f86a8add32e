import { describe, expect, it } from "vitest";
import type { HubChange } from "../../../src/model/hub-change.ts";
import type { CheckPorts } from "../../../src/reconcile/check-hub-changes.ts";
import { HubChangeChecker } from "../../../src/reconcile/check-hub-changes.ts";
import { hubChange, parsedFile, snapshotOf } from "./hub-changes.ts";
import { repository } from "./phase-builders.ts";

const problem = (message: string, severity = "error") => ({ code: "E1", file: "f", severity, message, object: "o" });

/** A file whose text is "bad" has an error; one below "skip/" is not read. */
function portsOf(commit = "c1", before: object[] = []) {
  let checks = 0;
  const snapshot = { ...snapshotOf(parsedFile("f", { text: "x" })), commit: { id: commit } };
  const planner = {
    readWithFiles: (_snapshot: unknown, files: Map<string, string>) =>
      Promise.resolve({ snapshot: { files }, unread: [...files.keys()].filter((path) => path.startsWith("skip/")) }),
    check: (_repository: unknown, { files }: { files?: Map<string, string> }) => {
      checks += 1;
      const texts = [...(files?.values() ?? [])];
      const bad = texts.filter((text) => text === "bad").map(() => problem("it is bad"));
      const warned = texts.filter((text) => text === "warned").map(() => problem("mind", "warning"));
      return Promise.resolve({ problems: [...before, ...bad, ...warned] });
    },
  };
  const ports = { planner, repository, snapshot } as unknown as CheckPorts;
  return { ports, checks: () => checks };
}

const create = (name: string, text: string, path = `${name}.yaml`): HubChange =>
  hubChange(name, { path, file: { kind: "Create", text } });
const names = (changes: readonly { live: { metadata: { name: string } } }[]) =>
  changes.map(({ live }) => live.metadata.name);

describe("HubChangeChecker", () => {
  it.each([
    {
      reason: "all when they pass together",
      changes: [create("a", "ok"), create("b", "ok")],
      accepted: ["a", "b"],
      refused: [],
    },
    { reason: "a warning", changes: [create("a", "warned")], accepted: ["a"], refused: [] },
    {
      reason: "the others of one that is bad",
      changes: [create("a", "ok"), create("b", "bad"), create("c", "ok")],
      accepted: ["a", "c"],
      refused: ["b"],
    },
    {
      reason: "none in a place that is not read",
      changes: [create("a", "ok", "skip/a.yaml")],
      accepted: [],
      refused: ["a"],
    },
  ])("accepts $reason", async ({ changes, accepted, refused }) => {
    const result = await new HubChangeChecker().check(changes, portsOf().ports);
    expect([names(result.accepted), names(result.refused)]).toEqual([accepted, refused]);
  });

  it("reports why", async () => {
    const result = await new HubChangeChecker().check(
      [create("a", "bad"), create("b", "ok", "skip/b.yaml")],
      portsOf().ports,
    );
    expect(result.refused.map(({ message }) => message)).toEqual([
      "Its file would be refused (E1): it is bad",
      expect.stringContaining("Its file would be skip/b.yaml, which the Repository does not read."),
    ]);
  });

  it("accepts a change beside an error that the commit has already", async () => {
    const { ports } = portsOf("c1", [problem("it is bad")]);
    expect(names((await new HubChangeChecker().check([create("a", "bad")], ports)).accepted)).toEqual(["a"]);
  });

  it.each([
    { reason: "the same change in the same commit", then: create("a", "bad"), commit: "c1", checks: 0 },
    { reason: "another change", then: create("a", "bad", "other.yaml"), commit: "c1", checks: 2 },
    { reason: "another commit", then: create("a", "bad"), commit: "c2", checks: 2 },
  ])("refuses $reason again after $checks checks", async ({ then, commit, checks }) => {
    const checker = new HubChangeChecker();
    await checker.check([create("a", "bad")], portsOf().ports);
    const again = portsOf(commit);
    expect(names((await checker.check([then], again.ports)).refused)).toEqual(["a"]);
    expect(again.checks()).toBe(checks);
  });

  it("A237 finds the bad one behind hundreds that wait to be merged, by few checks", async () => {
    const many = Array.from({ length: 250 }, (_, index) => create(`a${index}`, "ok"));
    const { ports, checks } = portsOf();
    const result = await new HubChangeChecker().check([...many, create("b", "bad"), create("c", "ok")], ports);
    expect([result.accepted.length, names(result.accepted).at(-1), names(result.refused)]).toEqual([251, "c", ["b"]]);
    expect(checks()).toBeLessThan(20);
  });

  it("decides on hundreds of bad ones in several runs, by a bounded number of checks in each", async () => {
    const checker = new HubChangeChecker();
    const changes = [...Array.from({ length: 250 }, (_, index) => create(`a${index}`, "bad")), create("b", "ok")];
    const counts: number[] = [];
    let accepted: readonly HubChange[] = [];
    while (accepted.length === 0 && counts.length < 10) {
      const { ports, checks } = portsOf();
      ({ accepted } = await checker.check(changes, ports));
      counts.push(checks());
    }
    expect(names(accepted)).toEqual(["b"]);
    expect(Math.max(...counts)).toBe(201);
  });

  it("forgets a refusal once the change is undone", async () => {
    const checker = new HubChangeChecker();
    await checker.check([create("a", "bad")], portsOf().ports);
    await checker.check([], portsOf().ports);
    const again = portsOf();
    await checker.check([create("a", "bad")], again.ports);
    expect(again.checks()).toBe(2);
  });
});
