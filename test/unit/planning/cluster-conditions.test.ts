import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { Given } from "./cluster-status-of.ts";
import { absent, good, leave, lost, statusOf, well } from "./cluster-status-of.ts";

/** The status and reason of each condition. */
function conditionsOf(given: Given): Record<string, string> {
  const { conditions = [] } = statusOf(given);
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

function messageOf(type: string, given: Given): string | undefined {
  return statusOf(given).conditions?.find((condition) => condition.type === type)?.message;
}

const calm = {
  Ready: "True Ready",
  Accepted: "True Accepted",
  Joined: "True Joined",
  Healthy: "True AgentHealthy",
  AgentUpToDate: "True UpToDate",
  CredentialsValid: "True Issued",
};
const refusal = { reason: "NotServed", message: "It is not served." };
const install = (kind: "installed" | "pending" | "failed") => ({
  kind,
  reason: `Is${kind}`,
  message: `It is ${kind}.`,
});
const waiting = { Ready: "False WaitingForAgent", Joined: "False WaitingForAgent", Healthy: "Unknown NotJoined" };
const unwell = { ...well, health: { isHealthy: false, reason: "PodFails", message: "A Pod fails." } };
const silent = { heartbeat: { kind: "unresponsive", forMs: 1 } } as const;
const missed = { Ready: "False HeartbeatMissed", Healthy: "Unknown HeartbeatMissed" };

describe("the conditions of a Cluster", () => {
  it.each<{ when: string; given: Given; is: Record<string, string> }>([
    { when: "all is well", given: {}, is: {} },
    { when: "no agent joined", given: { facts: absent }, is: waiting },
    {
      when: "the hub installs",
      given: { facts: absent, install: install("pending") },
      is: {
        Ready: "False Ispending",
        Joined: "False Ispending",
        Healthy: "Unknown NotJoined",
        Reconciling: "True Ispending",
      },
    },
    {
      when: "the hub installed",
      given: { facts: absent, install: install("installed") },
      is: {
        Ready: "False AgentInstalled",
        Joined: "False AgentInstalled",
        Healthy: "Unknown NotJoined",
        Reconciling: "True AgentInstalled",
      },
    },
    {
      when: "the hub could not install",
      given: { facts: absent, install: install("failed"), fight: refusal },
      is: { Ready: "False Isfailed", Joined: "False Isfailed", Healthy: "Unknown NotJoined", Stalled: "True Isfailed" },
    },
    { when: "an installed agent joined", given: { install: install("installed") }, is: {} },
    { when: "it is refused", given: { refusal }, is: { Ready: "False NotServed", Accepted: "False NotServed" } },
    {
      when: "its keys are lost",
      given: { facts: lost },
      is: { Ready: "False IdentityLost", Accepted: "False IdentityLost", CredentialsValid: "False IdentityLost" },
    },
    ...["KeyMismatch", "ClientIDMismatch"].map((reason) => ({
      when: `its file names another agent (${reason})`,
      given: { facts: { ...well, credentials: { ...good, status: "False" as const, reason } } },
      is: { Ready: `False ${reason}`, Accepted: `False ${reason}`, CredentialsValid: `False ${reason}` },
    })),
    {
      when: "its credential is late",
      given: { facts: { ...well, credentials: { ...good, status: "False", reason: "Expired" } } },
      is: { CredentialsValid: "False Expired" },
    },
    {
      when: "its credential has a rejecting reason and is valid",
      given: { facts: { ...well, credentials: { ...good, reason: "Revoked" } } },
      is: { CredentialsValid: "True Revoked" },
    },
    { when: "it is unwell", given: { facts: unwell }, is: { Ready: "False PodFails", Healthy: "False PodFails" } },
    {
      when: "it reported nothing",
      given: { facts: { ...well, health: undefined } },
      is: { Ready: "False WaitingForReport", Healthy: "Unknown WaitingForReport" },
    },
    { when: "it is silent", given: silent, is: missed },
    {
      when: "it fails to be written",
      given: { failure: refusal, fight: leave as never },
      is: { Stalled: "True NotServed" },
    },
    { when: "another writer fights", given: { fight: refusal }, is: { Stalled: "True NotServed" } },
    {
      when: "it leaves",
      given: { leave, failure: refusal },
      is: { Ready: "False Leaving", Reconciling: "True Leaving" },
    },
    {
      when: "its leave has revoked it",
      given: { leave, isRevokedByOffboarding: true },
      is: { Ready: "False Leaving", Reconciling: "True Leaving", CredentialsValid: "False Leaving" },
    },
    {
      when: "it moves",
      given: { metadata: { annotations: { [annotationKeys.movedTo]: "fleet/eu-2" } } },
      is: { Ready: "False Moving" },
    },
    {
      when: "its clock is 61 s ahead",
      given: { facts: { ...well, clockSkewSeconds: 61 } },
      is: { ClockSynced: "False ClockSkew" },
    },
    { when: "its clock is 60 s behind", given: { facts: { ...well, clockSkewSeconds: -60 } }, is: {} },
  ])("when $when", ({ given, is }) => {
    expect(conditionsOf(given)).toEqual({ ...calm, ...is });
  });

  it.each([
    { reason: "AgentHealthy", status: "True", stays: true },
    { reason: "NotJoined", status: "Unknown", stays: false },
  ] as const)("stay $stays as they were after $reason while no window was watched", ({ reason, status, stays }) => {
    const before = { type: "Healthy", status, reason, message: "Before.", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const given: Given = { status: { conditions: [before] }, heartbeat: { kind: "unwatched" }, facts: unwell };
    const expected = stays ? `${status} ${reason}` : "Unknown WaitingForFirstBeat";
    expect(conditionsOf(given)["Healthy"]).toBe(expected);
    expect(messageOf("Healthy", given) === "Before.").toBe(stays);
    expect(conditionsOf({ heartbeat: { kind: "unwatched" } })["Healthy"]).toBe("Unknown WaitingForFirstBeat");
  });

  it("name what a user added on the hub, of a Cluster that a file declares", () => {
    const managedFields = [
      { manager: "rollcall-git", operation: "Apply", fieldsV1: { "f:spec": { "f:clientID": {} } } },
      { manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:spec": { "f:deletionPolicy": {} } } },
    ];
    const given: Given = { metadata: { managedFields } as never, spec: { clientID: "a", deletionPolicy: "Detach" } };
    const notInGit = { refusal: { reason: "NotInGit", message: "No file declares it." } };
    expect(conditionsOf(given)["Declared"]).toBe("False EditedOnHub");
    expect(conditionsOf({ ...given, refusal })["Declared"]).toBe("False EditedOnHub");
    expect(conditionsOf({ ...given, ...notInGit })["Declared"]).toBeUndefined();
  });
});

describe("the messages of a Cluster", () => {
  const clock = (clockSkewSeconds: number): Given => ({ facts: { ...well, clockSkewSeconds } });
  const period = { spec: { heartbeat: { periodSeconds: 7, failureThreshold: 2 } } };
  const noAdvice = "The hub does not admit its agent, so no heartbeats are expected.";
  it.each<[string, Given, string | RegExp]>([
    ["Joined", {}, "The agent has joined with its own keys."],
    ["Joined", { spec: {} }, "The agent has joined with its own keys."],
    ["Joined", { spec: { protocol: "fleet" } }, "The agent has joined."],
    ["Joined", { facts: absent }, /^No agent has joined as fleet\/eu-1 yet\./u],
    ["ClockSynced", clock(150), "The agent's clock is 3 min ahead of the hub's."],
    ["ClockSynced", clock(-150), "The agent's clock is 3 min behind the hub's."],
    ["Healthy", silent, /^The agent has missed 3 heartbeats of 60 s\./u],
    ["Healthy", { ...silent, ...period, agentPeriodSeconds: 5 }, /missed 2 heartbeats of 7 s/u],
    ["Healthy", { ...silent, spec: {}, agentPeriodSeconds: 5 }, /missed 3 heartbeats of 5 s/u],
    ["Healthy", { ...silent, facts: lost }, noAdvice],
    ["Healthy", { ...silent, isRevokedByOffboarding: true }, noAdvice],
    ["Healthy", { facts: { ...lost, health: unwell.health } }, "A Pod fails."],
    ["Ready", { leave }, "The cluster leaves the fleet since commit c0ffee."],
    ["Ready", { leave: { phase: "Waiting" } as never }, "The cluster leaves the fleet since commit unknown."],
    ["Accepted", { refusal, facts: lost }, "It is not served."],
    ["Accepted", { facts: lost }, "Its keys are lost."],
  ])("report in %s of %j: %s", (type, given, message) => {
    expect(messageOf(type, given)).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });
});
