import { describe, expect, it } from "vitest";
import { decideRegistration } from "../../../../../src/join/fleet/hub/decide.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";
import { hubFacts, result, startMs, workspace } from "../../hub-scene.ts";
import { decideFleet, fleetMemberOf, fleetTokenOf, grantedMemory, requestOf } from "../fleet-scene.ts";

const naming = fleetTokenOf("edge", { clusterNames: ["eu-1"] });
const clientID = "uid-1";
const later = (laterMs: number) => requestOf({ token: "edge", name: "request-b", askedMs: startMs + laterMs });
const hubInitiated = { kubeConfigSecretRef: { name: "k" } };

describe("decide: Rancher's own requests", () => {
  it("are not decided whatever their label's value is, unless it is empty", () => {
    const marked = (value: string): KubeObject => {
      const registration = requestOf({ token: "edge" });
      return {
        ...registration,
        metadata: {
          ...registration.metadata,
          labels: { ...registration.metadata.labels, "fleet.cattle.io/cluster-management": value },
        },
      };
    };
    expect(result(decideFleet(marked("false"), { tokens: [naming] }))).toBe("none");
    expect(result(decideFleet(marked(""), { tokens: [naming] }))).toMatch(/^granted/u);
  });
});

describe("decide: a cluster that a person made on the hub and no file declares", () => {
  const decide = (said: string, members = indexMembers([])) =>
    decideRegistration(
      requestOf({ token: "edge" }),
      {
        token: naming,
        members,
        tokens: () => [naming],
        unowned: () => [
          {
            apiVersion: "fleet.cattle.io/v1alpha1",
            kind: "Cluster",
            metadata: { name: "by-hand", namespace: workspace },
            spec: { clientID: said },
          },
        ],
      },
      hubFacts(),
    );

  it("keeps an agent of its clientID waiting, and is named", () => {
    const decision = decide(clientID);
    expect(decision).toMatchObject({
      kind: "refused",
      reason: "NotInGit",
      message: expect.stringContaining("Cluster by-hand") as string,
    });
    expect(result(decide("other"))).toMatch(/^granted/u);
  });

  it("keeps no agent waiting that is a member already", () => {
    const member = fleetMemberOf("eu-1", { spec: { clientID } });
    expect(result(decide(clientID, indexMembers([member])))).toBe("granted eu-1");
  });
});

describe("decide: a cluster that still parts from another protocol", () => {
  it("is requeued after five seconds, before anything is decided", () => {
    const leave = { commit: "c0ffee", since: new Date(startMs).toISOString() };
    const member = fleetMemberOf("eu-1", {
      spec: { clientID },
      state: { formerProtocol: { spec: { protocol: "rollcall" }, leave } },
    });
    expect(decideFleet(requestOf({ token: "edge" }), { tokens: [naming], members: [member] })).toEqual({
      kind: "none",
      recheckAfterMs: 5000,
    });
  });
});

describe("decide: a request of an agent that is in", () => {
  const joined = fleetMemberOf("eu-1", { spec: { clientID }, state: grantedMemory() });
  it.each<[string, KubeObject, string]>([
    ["is answered, where it is the one that was granted", requestOf({ token: "edge" }), "none"],
    [
      "is new, where another object has its name",
      {
        ...requestOf({ token: "edge", askedMs: startMs + 1000 }),
        metadata: { ...requestOf({ token: "edge", askedMs: startMs + 1000 }).metadata, uid: "another" },
      },
      "granted eu-1",
    ],
    ["is overtaken, where it came before", later(-1000), "none"],
    ["is new, where it came in the same second", later(0), "granted eu-1"],
    ["is new, where it came after", later(1000), "granted eu-1"],
  ])("%s", (_what, asked, expected) => {
    expect(result(decideFleet(asked, { tokens: [naming], members: [joined] }))).toBe(expected);
  });

  it("is overtaken where it was granted before in the same second, and after eight of them", () => {
    const withOvertaken = (overtaken: string) =>
      fleetMemberOf("eu-1", {
        spec: { clientID },
        state: grantedMemory({ protocolFacts: { ...grantedMemory().protocolFacts, overtaken } }),
      });
    const decideAmong = (overtaken: string) =>
      result(decideFleet(later(0), { tokens: [naming], members: [withOvertaken(overtaken)] }));
    expect(decideAmong("uid-of-request-b")).toBe("none");
    expect(decideAmong("1 2 3 4 5 6 7")).toBe("granted eu-1");
    expect(decideAmong("1 2 3 4 5 6 7 8")).toBe("none");
  });

  it("remembers that it took the place of another of its second, and of none before", () => {
    const overtaken = (laterMs: number): unknown => {
      const decision = decideFleet(later(laterMs), { tokens: [naming], members: [joined] });
      return decision.kind === "granted" ? decision.state.protocolFacts?.["overtaken"] : decision.kind;
    };
    expect(overtaken(0)).toBe("uid-of-request-a");
    expect(overtaken(1000)).toBeUndefined();
  });
});

describe("decide: what is checked of a declared cluster", () => {
  const decideBy = (spec: object, tokenSpec: object, members: Parameters<typeof fleetMemberOf>[1] = {}) =>
    result(
      decideFleet(requestOf({ token: "edge" }), {
        tokens: [fleetTokenOf("edge", tokenSpec)],
        members: [fleetMemberOf("eu-1", { ...members, spec })],
      }),
    );

  it.each<[string, object, object, string]>([
    ["is let in by a token that may create it", { clientID }, { clusterNames: ["eu-*"] }, "granted eu-1"],
    ["is let in by a token that names it", { clientID }, { clusterNames: ["eu-1"] }, "granted eu-1"],
    ["is not let in by a token of other names", { clientID }, { clusterNames: ["us-*"] }, "refused NameNotAllowed"],
    ["is not let in by a token that is used up", { clientID }, { maxRegistrations: 0 }, "refused TokenUsedUp"],
    ["declares no protocol, which is another", { clientID, protocol: undefined }, {}, "refused ProtocolMismatch"],
  ])("%s", (...[, spec, tokenSpec, expected]) => {
    expect(decideBy(spec, tokenSpec)).toBe(expected);
  });

  it("is not approved by a file that declares it by its name alone", () => {
    expect(decideBy({}, { approval: "PullRequest", clusterNames: ["eu-1"] })).toBe("proposal eu-1");
    expect(decideBy({ clientID }, { approval: "PullRequest" })).toBe("granted eu-1");
  });

  it("remembers the hub's own token by the account, and as no use of a token", () => {
    const decision = decideFleet(requestOf({ token: "import-token-eu-1" }), {
      members: [fleetMemberOf("eu-1", { spec: hubInitiated })],
    });
    if (decision.kind !== "granted") throw new Error(decision.kind);
    expect(decision.state.join).toEqual({
      time: expect.any(String) as string,
      registration: "request-a",
      initiated: "hub",
    });
    expect(decision.state.protocolFacts?.["reader"]).toBe("import-token-eu-1");
  });

  it("keeps what else is remembered of it", () => {
    const state = { origin: { isDeclared: true }, clientID };
    const decision = decideFleet(requestOf({ token: "edge" }), {
      tokens: [naming],
      members: [fleetMemberOf("eu-1", { spec: { clientID }, state })],
    });
    expect(decision).toMatchObject({ state: { origin: { isDeclared: true } } });
    expect(decision).not.toHaveProperty("cluster");
  });
});
