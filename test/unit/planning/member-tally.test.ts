import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { RecordedMember } from "../../../src/planning/member-tally.ts";
import { MemberTally, revocationOf } from "../../../src/planning/member-tally.ts";

function member(ready: string | undefined, annotations: Record<string, string> = {}, version?: string): RecordedMember {
  const conditions = ready === undefined ? [] : [{ type: "Ready", status: ready, reason: "R", message: "" }];
  const status = { conditions, ...(version === undefined ? {} : { agent: { version } }) };
  const cluster = { metadata: { name: "a", annotations }, spec: {}, status };
  return { workspace: "fleet", name: "a", cluster, state: undefined } as unknown as RecordedMember;
}

const none = { clusters: 0, ready: 0, notReady: 0, unknown: 0, leaving: 0 };

describe("MemberTally", () => {
  it("counts members as they come, change and go", () => {
    const tally = new MemberTally();
    tally.set("fleet/a", member("True", {}, "2"));
    tally.set("fleet/b", member("False", {}, "1"));
    tally.set("fleet/c", member(undefined));
    expect(tally.counts()).toEqual({ ...none, clusters: 3, ready: 1, notReady: 1, unknown: 1 });
    expect(Object.entries(tally.countsBy("agentVersion") ?? {})).toEqual([
      ["1", 1],
      ["2", 1],
    ]);
    tally.set("fleet/a", member("Unknown", { [annotationKeys.leave]: "commit" }));
    expect(tally.counts()).toEqual({ ...none, clusters: 3, notReady: 1, unknown: 2, leaving: 1 });
    expect(tally.countsBy("agentVersion")).toEqual({ 1: 1 });
    expect(tally.countsBy("protocol")).toEqual({ rollcall: 3 });
    for (const key of ["fleet/a", "fleet/b", "fleet/c", "fleet/d"]) tally.set(key, undefined);
    expect([tally.counts(), tally.countsBy("protocol"), tally.has("fleet/a")]).toEqual([none, undefined, false]);
  });

  it("lists suspensions and revocations by name", () => {
    const tally = new MemberTally();
    const annotations = { [annotationKeys.reconcile]: "disabled", [annotationKeys.revoked]: "blob/alice/2030" };
    for (const key of ["fleet/b", "fleet/a"]) tally.set(key, member("True", annotations));
    expect(tally.suspensions()).toEqual(["Cluster/fleet/a", "Cluster/fleet/b"]);
    expect(tally.revocations()[0]).toEqual({ object: "Cluster/fleet/a", blob: "blob", by: "alice", time: "2030" });
    for (const key of ["fleet/b", "fleet/a"]) tally.set(key, member("True"));
    expect([tally.suspensions(), tally.revocations()]).toEqual([[], []]);
  });
});

describe("revocationOf", () => {
  it("is undefined for a Cluster that is not revoked", () => {
    expect(revocationOf(member("True").cluster)).toBeUndefined();
  });
});
