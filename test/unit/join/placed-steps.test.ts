import { describe, expect, it } from "vitest";
import { removePlacedSteps } from "../../../src/join/placed-steps.ts";
import type { PlacedObjects } from "../../../src/join/placed-steps.ts";
import type { PlacedRemoval } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { memberOf, startMs } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";

const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
const limitMs = 15 * 60_000;
const work: KubeObject = {
  apiVersion: "placement.kubernetes-fleet.io/v1",
  kind: "Work",
  metadata: { name: "a", namespace: "fleet-member-eu-1" },
};
const deleted: PlacedRemoval = { since: time(60_000), names: [], heartbeatMarker: "m0" };

function stepOf(parts: MemberParts & { readonly placed?: PlacedRemoval }, objects: Partial<PlacedObjects> = {}) {
  const { placed, ...rest } = parts;
  const leave = { commit: "c0ffee", since: time(0), ...(placed === undefined ? {} : { placed }) };
  const member = memberOf("eu-1", { spec: { placedResources: "Remove" }, state: { leave }, ...rest });
  const [step] = removePlacedSteps(
    member,
    { nowMs: startMs },
    { hasAgent: true, objects: [work], isReleased: false, hasRemoved: () => true, ...objects },
  );
  return step?.kind === "remove-placed" ? step : undefined;
}

describe("removePlacedSteps: what was placed for a cluster that leaves", () => {
  it("is deleted first, for a quarter of an hour from now", () => {
    expect(stepOf({})).toMatchObject({
      refs: [{ name: "a" }],
      isReleased: false,
      isDone: false,
      untilMs: startMs + limitMs,
    });
    expect(stepOf({})).not.toHaveProperty("heartbeatMarker");
    expect(stepOf({}, { heartbeatMarker: "m1", isReleased: true })).toMatchObject({
      heartbeatMarker: "m1",
      isReleased: true,
    });
  });

  it.each<[string, Parameters<typeof stepOf>[0], Partial<PlacedObjects>]>([
    ["the file keeps it", { spec: {} }, {}],
    ["the cluster is revoked, whose agent sees no deletion", { annotations: { "rollcall.dev/revoked": "x" } }, {}],
    ["it is over", { placed: { ...deleted, overAt: time(0) } }, {}],
    ["nothing is placed", {}, { objects: [] }],
    ["no agent ever reported", {}, { hasAgent: false }],
  ])("is not removed where %s", (_where, parts, objects) => {
    expect(stepOf(parts, objects)).toBeUndefined();
  });

  it("is waited for from when it was deleted, also once no object is left or no agent reports", () => {
    expect(stepOf({ placed: deleted })).toMatchObject({ isDone: false, untilMs: startMs + 60_000 + limitMs });
    expect(stepOf({ placed: deleted }, { objects: [] })).toMatchObject({ isDone: true, refs: [] });
    expect(stepOf({ placed: deleted }, { objects: [], hasAgent: false })).toMatchObject({ isDone: true });
    expect(stepOf({ placed: deleted }, { objects: [], hasRemoved: () => false })).toMatchObject({ isDone: false });
  });

  it("asks the protocol with the time and the heartbeat of the deletion", () => {
    const asked: unknown[] = [];
    stepOf({ placed: deleted }, { objects: [], hasRemoved: (...what) => asked.push(what) > 0 });
    expect(asked).toEqual([[startMs + 60_000, "m0"]]);
  });

  it("is waited for from the end of the grace period where the time cannot be read", () => {
    expect(stepOf({ placed: { ...deleted, since: "" } })?.untilMs).toBe(startMs + limitMs);
  });
});
