import { describe, expect, it } from "vitest";
import { createdClusterName, credentialSecretName } from "../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, result } from "../hub-scene.ts";
import { accountOf, decideFleet, fleetMemberOf, fleetTokenOf, grantedMemory, requestOf } from "./fleet-scene.ts";

const created = createdClusterName("uid-1");
const open = fleetTokenOf("edge");
const naming = fleetTokenOf("edge", { clusterNames: ["eu-1", "*"] });
const declared = fleetMemberOf("eu-1", { spec: { clientID: "uid-1" } });
const joined = fleetMemberOf("eu-1", { spec: { clientID: "uid-1" }, state: grantedMemory() });
const again = requestOf({ token: "edge", name: "request-b", askedMs: startMs + 60_000 });
const leave = { "rollcall.dev/leave": "c0ffee" };
const revoked = { "rollcall.dev/revoked": "-/operator/now" };
const hubInitiated = { clientID: "uid-1", kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };

type Case = readonly [KubeObject, Parameters<typeof decideFleet>[1], result: string, reason: string];

describe("decide: a Fleet agent's request", () => {
  const cases: readonly Case[] = [
    [
      requestOf({ token: "edge" }),
      { tokens: [open] },
      `granted ${created} (new)`,
      "no cluster is declared by this clientID",
    ],
    [requestOf({ token: "edge" }), { tokens: [open], members: [declared] }, "granted eu-1", "declared by its clientID"],
    [requestOf({ token: "gone" }), { tokens: [open] }, "refused UnknownToken", "no such token"],
    [requestOf({}), {}, "refused UnknownToken", "says no token, and there is none"],
    [requestOf({}), { tokens: [open] }, `granted ${created} (new)`, "0.15: an open token allows it"],
    [
      requestOf({}),
      { tokens: [open, fleetTokenOf("narrow", { clusterNames: ["eu-*"] })] },
      "refused NameNotAllowed",
      "0.15: one of the open tokens does not allow it",
    ],
    [again, { tokens: [open], members: [joined] }, "refused ClientIDTaken", "A1: in already, the token names nobody"],
    [again, { tokens: [naming], members: [joined] }, "granted eu-1", "in already, the token writes its name out"],
    [
      again,
      { tokens: [fleetTokenOf("edge", { clusterNames: ["eu-*"] })], members: [joined] },
      "refused ClientIDTaken",
      "A1: in already, a glob is no name",
    ],
    [
      requestOf({ name: "request-b", askedMs: startMs + 60_000 }),
      { tokens: [naming], members: [joined] },
      "refused ClientIDTaken",
      "A1: in already, and 0.15 does not say by which token",
    ],
    [
      requestOf({ token: "edge", clientID: "other" }),
      { tokens: [fleetTokenOf("edge", { clusterNames: ["eu-1"] })], members: [joined] },
      "refused NameTaken",
      "the one name of the token is another's",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [fleetTokenOf("edge", { clusterNames: ["us-*"] })] },
      "refused NameNotAllowed",
      "the name that Fleet gives does not fit",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [fleetTokenOf("edge", { clusterNames: ["us-7"] })] },
      "granted us-7 (new)",
      "one literal name is the name",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [fleetTokenOf("edge", { clusterNames: ["us-7"] })], members: [fleetMemberOf("us-7")] },
      "granted us-7",
      "declared by name alone, claimed by a token that names it",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [open], members: [fleetMemberOf(created)] },
      "refused NameTaken",
      "declared by name alone, and the token names no cluster",
    ],
    [
      requestOf({ token: "edge" }),
      {
        tokens: [fleetTokenOf("edge", { maxRegistrations: 1 })],
        members: [fleetMemberOf("x", { state: grantedMemory({ clientID: "x" }) })],
      },
      "refused TokenUsedUp",
      "its one use is taken",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [open], members: [fleetMemberOf("eu-1", { spec: { clientID: "uid-1", protocol: "rollcall" } })] },
      "refused ProtocolMismatch",
      "declared for another protocol",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [open], members: [fleetMemberOf("eu-1", { spec: { clientID: "uid-1" }, annotations: leave })] },
      "refused ClusterLeaving",
      "it leaves",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [open], members: [fleetMemberOf("eu-1", { spec: { clientID: "uid-1" }, annotations: revoked })] },
      "refused ClusterRevoked",
      "it is revoked",
    ],
    [
      requestOf({ token: "edge" }),
      { tokens: [open], members: [declared, fleetMemberOf("eu-2", { spec: { clientID: "uid-1" } })] },
      "refused ClientIDAmbiguous",
      "two clusters say the same clientID",
    ],
    [requestOf({ token: "edge", clientID: "a b" }), { tokens: [open] }, "refused Malformed", "a clientID with a blank"],
    [requestOf({ token: "edge" }), { tokens: [open], members: [joined] }, "none", "this very request was granted"],
    [
      requestOf({ token: "edge", name: "request-old", askedMs: startMs - 1000 }),
      { tokens: [naming], members: [joined] },
      "none",
      "a newer one of the same agent was granted",
    ],
    [
      requestOf({ token: "import-token-eu-1" }),
      { members: [fleetMemberOf("eu-1", { spec: hubInitiated })] },
      "granted eu-1",
      "the token that the hub made for it",
    ],
    [
      requestOf({ token: "import-token-eu-1" }),
      { tokens: [fleetTokenOf("import-token-eu-1")], members: [fleetMemberOf("eu-1", { spec: hubInitiated })] },
      "refused TokenNameReserved",
      "a token of a file has the name of the token that the hub made for it",
    ],
    [
      requestOf({ token: "import-token-eu-2" }),
      { tokens: [fleetTokenOf("import-token-eu-2")], members: [fleetMemberOf("eu-2")] },
      `granted ${created} (new)`,
      "a token of a file has such a name, and the hub installs nothing by it",
    ],
    [
      requestOf({ token: "import-token-eu-1", name: "request-b", askedMs: startMs + 1 }),
      {
        members: [
          fleetMemberOf("eu-1", {
            spec: { ...hubInitiated, agent: { redeployGeneration: 1 } },
            state: grantedMemory(),
          }),
        ],
      },
      "granted eu-1",
      "installed anew: the hub's own token names it",
    ],
    [
      requestOf({ labels: { "rollcall.dev/token": "edge" }, name: "request-b", askedMs: startMs + 60_000 }),
      { tokens: [naming], members: [joined] },
      "granted eu-1",
      "0.15 in already, by our values of a token that writes its name out",
    ],
    [
      requestOf({ labels: { "rollcall.dev/token": "edge" }, name: "request-b", askedMs: startMs + 60_000 }),
      { tokens: [open], members: [joined] },
      "refused ClientIDTaken",
      "A1: 0.15 joined already, by our values of a token that names no cluster",
    ],
    [
      requestOf({ token: "", labels: { "rollcall.dev/token": "edge" } }),
      { tokens: [open] },
      `granted ${created} (new)`,
      "0.16 that was given no token's name",
    ],
    [
      requestOf({ token: "gone", labels: { "rollcall.dev/token": "edge" } }),
      { tokens: [open] },
      "refused UnknownToken",
      "0.16 names it by the label alone",
    ],
    [
      requestOf({ labels: { "rollcall.dev/token": "import-token-eu-1" }, name: "request-b", askedMs: startMs + 1 }),
      {
        members: [
          fleetMemberOf("eu-1", {
            spec: { ...hubInitiated, agent: { redeployGeneration: 1 } },
            state: grantedMemory(),
          }),
        ],
      },
      "granted eu-1",
      "0.15 that the hub installed anew",
    ],
    [
      requestOf({}),
      { members: [fleetMemberOf("eu-1", { spec: hubInitiated })] },
      "refused UnknownToken",
      "0.15 that names no token, where the hub installs one that does",
    ],
    [
      requestOf({ name: "request-b", askedMs: startMs + 1 }),
      {
        members: [
          fleetMemberOf("eu-1", {
            spec: { ...hubInitiated, agent: { redeployGeneration: 1 } },
            state: grantedMemory(),
          }),
        ],
      },
      "refused UnknownToken",
      "A1: 0.15 that is in already",
    ],
    [
      requestOf({ token: "import-token-eu-1", clientID: "other" }),
      { members: [fleetMemberOf("eu-1", { spec: hubInitiated })] },
      "refused NameTaken",
      "the token that the hub made, and another clientID than the file's",
    ],
    [
      requestOf({ token: "import-token-eu-1", clientID: "other" }),
      {
        members: [
          fleetMemberOf("eu-1", {
            spec: { kubeConfigSecretRef: { name: "k" }, agent: { redeployGeneration: 1 } },
            state: grantedMemory(),
          }),
        ],
      },
      "granted eu-1",
      "the token that the hub made, and the cluster behind the kubeconfig is another one",
    ],
    [
      requestOf({ token: "import-token-eu-1" }),
      { members: [declared] },
      "refused TokenClosed",
      "the hub installs nothing there",
    ],
  ];
  it.each(cases.map(([registration, scene, expected, reason]) => ({ registration, scene, expected, reason })))(
    "$expected: $reason",
    ({ registration, scene, expected }) => {
      const decision = decideFleet(registration, scene);
      expect(result(decision)).toBe(expected);
      if (decision.kind !== "refused") return;
      // The log and the Event have this text alone: it names what to change, and the Cluster that is in the way.
      expect(decision.message).toMatch(/^[A-Z].*\.$/u);
      expect(decision.message).not.toContain("undefined");
      if (decision.reason === "ClientIDTaken") expect(decision.message).toContain("rollcall.dev/cluster-names");
      const inTheWay = ["NameTaken", "ProtocolMismatch", "ClusterLeaving", "ClusterRevoked", "ClientIDTaken"];
      const [member] = scene?.members ?? [];
      if (inTheWay.includes(decision.reason)) expect(decision.message).toContain(`fleet/${member?.name}`);
    },
  );

  it("leaves Rancher's own requests alone", () => {
    const registration = requestOf({ token: "edge" });
    registration.metadata.labels = { "fleet.cattle.io/cluster-management": "true" };
    expect(result(decideFleet(registration, { tokens: [open] }))).toBe("none");
  });

  it("remembers all that the grant needs, by Fleet's names", () => {
    const registration = requestOf({ token: "edge", clientID: "really-random" });
    const decision = decideFleet(registration, { tokens: [open] });
    expect(decision).toMatchObject({
      kind: "granted",
      cluster: { spec: { protocol: "fleet", clientID: "really-random" } },
      state: {
        clientID: "really-random",
        join: { token: "edge", tokenUse: 1, registration: "request-a", initiated: "agent" },
        protocolFacts: {
          registrationUid: "uid-of-request-a",
          account: "request-a-uid-of-request-a",
          sharedName: "request-a-uid-of-request-a",
          answer: "c-afb870486311e43c5aaf1fca540d9fe760bbdaae3ce214a4a80a69df21632",
          reader: accountOf("edge"),
        },
      },
    });
    expect(credentialSecretName("a", "b")).not.toBe(credentialSecretName("b", "a"));
  });

  it("takes labels of a new cluster from prefixes that are free, and names those it left out", () => {
    const labels = {
      site: "b",
      "fleet.cattle.io/created-by-agent-pod": "pod",
      "fleet.cattle.io/cluster": "eu-1",
      "management.cattle.io/cluster-display-name": "eu-1",
      "rollcall.dev/cluster": "eu-1",
      "rollcall.dev/token": "edge",
      "kubernetes.io/x": "y",
      "a b": "c",
    };
    const decision = decideFleet(requestOf({ token: "edge", labels }), { tokens: [open] });
    expect(decision).toMatchObject({
      state: { labels: { agent: { site: "b", "fleet.cattle.io/created-by-agent-pod": "pod" } } },
    });
    expect(decision.kind === "granted" ? decision.notes.length : 0).toBe(5);
    const narrow = fleetTokenOf("edge", { agentLabels: ["zone"], clusterLabels: { from: "token" } });
    const strict = decideFleet(requestOf({ token: "edge", labels: { site: "b", zone: "1" } }), { tokens: [narrow] });
    expect(strict).toMatchObject({ state: { labels: { token: { from: "token" }, agent: { zone: "1" } } } });
  });

  it("changes no label of a cluster that is declared or in", () => {
    const labels = { site: "b" };
    const asked = requestOf({ token: "edge", name: "request-b", askedMs: startMs + 1, labels });
    for (const member of [declared, joined]) {
      const decision = decideFleet(asked, { tokens: [naming], members: [member] });
      expect(decision.kind === "granted" ? decision.state.labels : "not granted").toBeUndefined();
    }
  });
});

describe("decide: a Fleet token that asks for approval", () => {
  const token = fleetTokenOf("edge", { approval: "PullRequest" });

  it("proposes a file with the clientID and the labels that are allowed", () => {
    const decision = decideFleet(requestOf({ token: "edge", labels: { site: "b", "rollcall.dev/x": "y" } }), {
      tokens: [token],
    });
    expect(decision).toMatchObject({
      kind: "proposal",
      cluster: { metadata: { name: created, labels: { site: "b" } }, spec: { protocol: "fleet", clientID: "uid-1" } },
      write: { status: { granted: false } },
    });
  });

  it("lets the agent in when a file with its clientID was merged, instead of proposing it again", () => {
    const merged = fleetMemberOf(created, { spec: { clientID: "uid-1" } });
    expect(result(decideFleet(requestOf({ token: "edge" }), { tokens: [token], members: [merged] }))).toBe(
      `granted ${created}`,
    );
    expect(result(decideFleet(requestOf({}), { tokens: [token], members: [merged] }))).toBe(`granted ${created}`);
  });

  it("proposes the clientID of a cluster that is declared by its name alone", () => {
    const one = fleetTokenOf("edge", { approval: "PullRequest", clusterNames: ["us-7"] });
    const bare = fleetMemberOf("us-7", { spec: { displayName: "Seven" } });
    expect(decideFleet(requestOf({ token: "edge" }), { tokens: [one], members: [bare] })).toMatchObject({
      kind: "proposal",
      cluster: { metadata: { name: "us-7" }, spec: { displayName: "Seven", clientID: "uid-1" } },
    });
  });
});

describe("decide: the name of a Fleet agent's request", () => {
  it.each(["rollcall-eu-1", "import-token-eu-1", "edge", "request-a-role", `request-${"a".repeat(64)}`])(
    "A71: the Role of an agent that asks as %s would take the place of another one",
    (name) => {
      expect(result(decideFleet(requestOf({ token: "edge", name }), { tokens: [open] }))).toBe("refused Malformed");
    },
  );
});

describe("decide: Fleet tokens whose long names begin alike", () => {
  const long = "t".repeat(48);
  const decideBy = (token: string, other: string): string =>
    result(decideFleet(requestOf({ token }), { tokens: [fleetTokenOf(token), fleetTokenOf(other)] }));

  it("A72: refuses the token by which the account of another could ask, and names what to do", () => {
    expect(decideBy(long, `${long}-1234567`)).toBe("refused TokenAmbiguous");
    const [one, other] = ["a", "b"].map((end) => `${"t".repeat(56)}${end}`);
    expect(decideBy(one ?? "", other ?? "")).toBe("refused TokenAmbiguous");
    const tokens = [fleetTokenOf(long), fleetTokenOf(`${long}-1234567`)];
    expect(decideFleet(requestOf({ token: long }), { tokens })).toMatchObject({
      message: expect.stringContaining("shorter name") as string,
    });
  });

  it("admits by the longer one, and by shorter names, of which the policy is sure", () => {
    expect(decideBy(`${long}-1234567`, long)).toMatch(/^granted/u);
    expect(decideBy("production-clusters", "production-clusters-2")).toMatch(/^granted/u);
  });
});

describe("decide: a Fleet token's time to live", () => {
  const verdictAt = (ttl: string | undefined, laterMs: number): string => {
    const token = fleetTokenOf("edge", ttl === undefined ? {} : { fleet: { ttl } });
    return result(
      decideFleet(requestOf({ token: "edge" }), { tokens: [token] }, hubFacts({ nowMs: startMs + laterMs })),
    );
  };
  const centuryMs = 100 * 365 * 24 * 3_600_000;

  it.each([
    [undefined, centuryMs, "granted", "no ttl is for ever"],
    ["0", centuryMs, "granted", "0 is for ever"],
    ["0s", centuryMs, "granted", "0s is for ever"],
    ["90s", 89_999, "granted", "not over yet; Fleet knows no least time"],
    ["90s", 90_000, "refused", "over"],
    ["1h30m", 5_400_000, "refused", "over"],
  ] as const)("%s after %i ms: %s", (ttl, laterMs, expected, reason) => {
    expect(verdictAt(ttl, laterMs).split(" ")[0], reason).toBe(expected);
  });

  it("names the other cluster and the way out where our agent has the same default clientID", () => {
    const ours = fleetMemberOf("edge-7", { spec: { protocol: "rollcall" }, state: { clientID: "uid-1" } });
    const decision = decideFleet(requestOf({ token: "edge" }), { tokens: [open], members: [ours] });
    expect(decision).toMatchObject({ kind: "refused", reason: "ProtocolMismatch" });
    const { message = "" } = decision.kind === "refused" ? decision : {};
    for (const part of ["fleet/edge-7", "protocol rollcall", "--client-id", "protocol: fleet"])
      expect(message).toContain(part);
  });
});
