import { describe, expect, it } from "vitest";
import type { RehearsalNotes } from "../../../../src/hub/rehearsal/rehearsed-protocol.ts";
import { rehearsedProtocols } from "../../../../src/hub/rehearsal/rehearsed-protocol.ts";
import type { OffboardingStep } from "../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { hubFacts, memberOf } from "../../join/hub-scene.ts";

const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
const step: OffboardingStep = { kind: "uninstall", refs: [] };
const movedFrom = { workspace: "fleet", name: "old" };
const credential = { number: 1, issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
const waiting = { isDone: false, untilMs: 9 };

function rehearse(steps: readonly OffboardingStep[]) {
  const seen: RehearsalNotes = { steps: [], credentials: [] };
  const deliver = () => Promise.resolve({ objects: [], statusWrites: [] });
  const protocol = { ...rollcallProtocol, offboardingSteps: () => [...steps], deliver };
  const rehearsed = rehearsedProtocols(new Map([["rollcall", protocol]]), seen).get("rollcall");
  if (rehearsed === undefined) throw new Error("no protocol");
  return { seen, rehearsed, answered: rehearsed.offboardingSteps(memberOf("eu-1"), hubFacts()) };
}

describe("rehearsedProtocols", () => {
  it.each<{ step: OffboardingStep; answer: object; text: string }>([
    { step: { kind: "ask-agent", write: { ref, status: {} }, isDone: false }, answer: { isDone: true }, text: "ask the agent to uninstall itself" }, // oxfmt-ignore
    { step: { kind: "notify-agent", objects: [], ...waiting }, answer: { isDone: true }, text: "notify the agent that its cluster leaves" }, // oxfmt-ignore
    { step: { kind: "remove-placed", refs: [], isReleased: false, ...waiting }, answer: { isDone: true }, text: "remove what was placed on it" }, // oxfmt-ignore
    { step: { kind: "wait", untilMs: 9 }, answer: { untilMs: 0 }, text: "wait until no agent sees it" },
    { step: { kind: "delete", purpose: "revoke", refs: [] }, answer: {}, text: "revoke credentials" },
    { step: { kind: "delete", purpose: "objects", refs: [] }, answer: {}, text: "delete objects (objects)" },
    { step: { kind: "uninstall", refs: [] }, answer: {}, text: "uninstall the agent by the kubeconfig" },
    { step: { kind: "release", refs: [] }, answer: {}, text: "remove finalizers" },
  ])("answers at once, and records: $text", ({ step, answer, text }) => {
    const { seen, answered } = rehearse([step]);
    expect(answered).toEqual([{ ...step, ...answer }]);
    expect(seen.steps).toEqual([text]);
  });

  it.each([
    { reason: "is renamed, and has a credential of the new name", state: { movedFrom, credential }, hasJoined: true },
    { reason: "is renamed, and has no credential of the new name", state: { movedFrom }, hasJoined: false },
    { reason: "is not renamed", state: { credential }, hasJoined: false },
  ])("takes the agent of a cluster that $reason to work as it: $hasJoined", ({ state, hasJoined }) => {
    const { rehearsed } = rehearse([]);
    expect(rehearsed.factsOf({ ...memberOf("eu-1"), state }, hubFacts()).hasJoined).toBe(hasJoined);
  });

  it("records no offboarding of the old name of a cluster: nothing is asked of its agent", () => {
    const seen: RehearsalNotes = { steps: [], credentials: [] };
    const protocol = { ...rollcallProtocol, offboardingSteps: () => [step] };
    const old = memberOf("old");
    old.cluster.metadata.annotations = { "rollcall.dev/moved-to": "fleet/eu-1" };
    const rehearsed = rehearsedProtocols(new Map([["rollcall", protocol]]), seen).get("rollcall");
    expect(rehearsed?.offboardingSteps(old, hubFacts())).toEqual([step]);
    expect(seen.steps).toEqual([]);
  });

  it("records a step once, and each credential", async () => {
    const { seen, rehearsed } = rehearse([step, step]);
    const due = { purpose: "working", workspace: "fleet", how: { kind: "random" }, reason: "first" } as const;
    const credential = { due, issuedAt: "2027-01-01T00:00:00Z", random: new Uint8Array(0) };
    await rehearsed.deliver({ kind: "member", member: memberOf("eu-1") }, credential, hubFacts(), {
      bytes: () => new Uint8Array(0),
    });
    expect(seen).toEqual({
      steps: ["uninstall the agent by the kubeconfig"],
      credentials: [{ purpose: "working", reason: "first" }],
    });
  });
});
