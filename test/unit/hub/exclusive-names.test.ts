import { describe, expect, it } from "vitest";
import { refusalByName, refusalOfToken, wantedNamesOf } from "../../../src/hub/exclusive-names.ts";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { homeNamespaceOf } from "../../../src/join/fleet/hub/member-facts.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { HubView } from "../../../src/hub/hub-view.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { withoutEditsByHand } from "../../../src/planning/edits-by-hand.ts";
import { clusterOf, coreObject } from "./objects.ts";

const shared: ObjectRef = { type: resourceTypes.namespace, name: "member-eu" };
const naming = { name: "kubefleet" as const, exclusiveNames: () => [shared] };

const byGit = { manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} };
const byHand = {
  manager: "kubectl-edit",
  operation: "Update" as const,
  fieldsV1: { "f:spec": { "f:protocol": {} } },
};

function viewOf(clusters: readonly Cluster[], live?: KubeObject, owners: readonly object[] = []): { view: HubView } {
  const view = {
    get: () => live,
    ownersOf: () => owners,
    list: () => clusters,
    subscribe: () => () => undefined,
    memberOf: (workspace: string, name: string) => {
      const isIt = ({ metadata }: Cluster): boolean => metadata.name === name && metadata.namespace === workspace;
      const object = clusters.find(isIt);
      return object && { workspace, name, cluster: withoutEditsByHand(object, {}), state: undefined, children: [] };
    },
  };
  return { view: view as unknown as HubView };
}

const cluster = (name: string, metadata: object = {}) =>
  clusterOf(name, {
    spec: { protocol: "kubefleet" },
    metadata: {
      creationTimestamp: "2027-01-02T00:00:00Z",
      labels: { [labelKeys.repository]: "system.fleet" },
      managedFields: [byGit],
      ...metadata,
    },
  });
const memberOf = (object: ReturnType<typeof cluster>): Member => ({
  workspace: object.metadata.namespace,
  name: object.metadata.name,
  cluster: object,
  state: undefined,
  children: [],
});
const live = coreObject("Namespace", "member-eu");
const adopting = { annotations: { [annotationKeys.adopt]: "true" } };
const byHub = { ...byGit, manager: "rollcall-hub" };
const lost = coreObject("Namespace", "member-eu", { managedFields: [byHub] });
const ownedBy = (name: string) => [{ label: labelKeys.cluster, workspace: "fleet", name }];

describe("refusalByName", () => {
  const eu = cluster("eu");
  const [older, younger, rollcalls] = [
    cluster("old", { creationTimestamp: "2027-01-01T00:00:00Z" }),
    cluster("new", { creationTimestamp: "2027-01-03T00:00:00Z" }),
    { ...cluster("own", { creationTimestamp: "2027-01-01T00:00:00Z" }), spec: {} },
  ];

  it.each([
    { reason: "a name of its own", object: eu, world: viewOf([eu], live, ownedBy("eu")), expected: undefined },
    { reason: "a name of another member", object: eu, world: viewOf([eu], live, ownedBy("us")), expected: "NameTaken" },
    { reason: "an object of another manager", object: eu, world: viewOf([eu], live), expected: "NameExists" },
    {
      reason: "a name of a member of the same name in another workspace",
      object: eu,
      world: viewOf([eu], live, [{ label: labelKeys.cluster, workspace: "labs", name: "eu" }]),
      expected: "NameTaken",
    },
    {
      reason: "an object of a token",
      object: eu,
      world: viewOf([eu], live, [{ label: labelKeys.token, workspace: "fleet", name: "eu" }]),
      expected: "NameExists",
    },
    {
      reason: "an object that its file adopts",
      object: cluster("eu", adopting),
      world: viewOf([], live),
      expected: undefined,
    },
    { reason: "its object whose labels were taken off", object: eu, world: viewOf([eu], lost), expected: undefined },
    {
      reason: "an object without labels that an older Cluster wants",
      object: eu,
      world: viewOf([eu, older], lost),
      expected: "NameTaken",
    },
    { reason: "a name that no cluster has or wants", object: eu, world: viewOf([eu]), expected: undefined },
    { reason: "a name that an older Cluster wants", object: eu, world: viewOf([eu, older]), expected: "NameTaken" },
    { reason: "a name that a younger Cluster wants", object: eu, world: viewOf([eu, younger]), expected: undefined },
    {
      reason: "a name beside an older Cluster of another protocol",
      object: eu,
      world: viewOf([eu, rollcalls]),
      expected: undefined,
    },
  ])("gives $expected for $reason", ({ object, world, expected }) => {
    expect(refusalByName(world, naming, memberOf(object))?.reason).toBe(expected);
  });

  it.each<{ what: string; metadata: object }>([
    { what: "no file declares", metadata: { managedFields: [] } },
    { what: "has the protocol by hand alone", metadata: { managedFields: [byGit, byHand] } },
  ])("A238 leaves a name to the cluster that wants it beside an older one that $what", ({ metadata }) => {
    const older = cluster("old", { creationTimestamp: "2027-01-01T00:00:00Z", namespace: "labs", ...metadata });
    expect(refusalByName(viewOf([eu, older]), naming, memberOf(eu))).toBeUndefined();
  });

  describe("A101 an object that a file may name freely", () => {
    const made = { "clusternet.io/created-by": "clusternet-agent", "clusters.clusternet.io/cluster-id": "id-1" };
    const free = { ...naming, exclusiveNames: () => [{ ...shared, labelsToAdopt: made }] };
    const labelled = (labels: Readonly<Record<string, string>>) =>
      viewOf([], { ...live, metadata: { ...live.metadata, labels } });

    it.each<{ what: string; labels: Readonly<Record<string, string>> }>([
      { what: "without labels", labels: {} },
      { what: "with one of them", labels: { "clusternet.io/created-by": "clusternet-agent" } },
      { what: "of another cluster", labels: { ...made, "clusters.clusternet.io/cluster-id": "id-2" } },
    ])("is not taken over $what, whatever the file declares", ({ labels }) => {
      const refusal = refusalByName(labelled(labels), free, memberOf(cluster("eu", adopting)));
      expect(refusal).toMatchObject({ reason: "NameExists" });
      expect(refusal?.message).toContain("clusters.clusternet.io/cluster-id=id-1");
      expect(refusal?.message).toContain("no file can take it over");
    });

    it("is taken over by a file that declares it, where it was made for the cluster", () => {
      expect(refusalByName(labelled(made), free, memberOf(cluster("eu", adopting)))).toBeUndefined();
      expect(refusalByName(labelled(made), free, memberOf(eu))?.reason).toBe("NameExists");
    });
  });

  it("refuses a member one of whose names is taken, although it has the first one itself", () => {
    const [own, other] = ["member-eu", "shared"].map((name) => ({ ...shared, name }));
    const view = {
      get: () => live,
      ownersOf: ({ name }: ObjectRef) => ownedBy(name === "shared" ? "us" : "eu"),
    } as unknown as HubView;
    const wanting = { ...naming, exclusiveNames: () => [own, other].flatMap((ref) => ref ?? []) };
    expect(refusalByName({ view }, wanting, memberOf(eu))?.message).toContain(
      "Namespace/shared belongs to cluster fleet/us",
    );
  });

  it("gives a name to the first workspace of two whose Clusters are of one age", () => {
    const twin = cluster("eu", { namespace: "labs" });
    expect(refusalByName(viewOf([eu, twin]), naming, memberOf(eu))).toBeUndefined();
    expect(refusalByName(viewOf([eu, twin]), naming, memberOf(twin))?.message).toContain("belongs to cluster fleet/eu");
  });

  it("refuses a Fleet cluster whose namespace on the hub would have the name of another cluster's", () => {
    // Fleet cuts the name after 57 characters: five digits of a digest are all that differs in the rest.
    const [first, second] = ["922", "997"].map((end) =>
      cluster(`${"c".repeat(48)}-${end}`, { namespace: "fleet", creationTimestamp: `2027-01-01T00:00:00.${end}Z` }),
    ) as [ReturnType<typeof cluster>, ReturnType<typeof cluster>];
    for (const { spec } of [first, second]) spec.protocol = "fleet";
    const home = homeNamespaceOf(memberOf(first));
    expect(homeNamespaceOf(memberOf(second))).toBe(home);
    const view = {
      ...viewOf([first, second]).view,
      get: ({ type, name }: ObjectRef) =>
        type === resourceTypes.namespace ? coreObject("Namespace", name) : undefined,
      ownersOf: () => ownedBy(first.metadata.name),
    } as unknown as HubView;
    expect(refusalByName({ view }, fleetProtocol, memberOf(first))).toBeUndefined();
    expect(refusalByName({ view }, fleetProtocol, memberOf(second))).toEqual({
      reason: "NameTaken",
      message: `Namespace/${home} belongs to cluster fleet/${first.metadata.name}: two clusters cannot have this name. Rename one of them.`,
    });
    expect(refusalByName(viewOf([first, second]), fleetProtocol, memberOf(second))?.reason).toBe("NameTaken");
  });

  it("names the holder", () => {
    expect(refusalByName(viewOf([eu, older]), naming, memberOf(eu))?.message).toContain("belongs to cluster fleet/old");
  });
});

describe("wantedNamesOf", () => {
  it("writes the names as text", () => {
    expect(wantedNamesOf(cluster("eu"), naming)).toEqual(["Namespace/member-eu"]);
  });
});

describe("refusalOfToken", () => {
  const subject = (metadata: object = {}) =>
    ({ workspace: "fleet", name: "t", token: { metadata: { name: "t", ...metadata } } }) as unknown as TokenSubject;
  const ownedByToken = (name: string) => [{ label: labelKeys.token, workspace: "fleet", name }];

  it.each([
    { reason: "nothing that is there", world: viewOf([]), metadata: {}, expected: undefined },
    { reason: "its own object", world: viewOf([], live, ownedByToken("t")), metadata: {}, expected: undefined },
    { reason: "an object of a cluster", world: viewOf([], live, ownedBy("eu")), metadata: {}, expected: "NameTaken" },
    {
      reason: "an object of another token, whatever its file adopts",
      world: viewOf([], live, ownedByToken("u")),
      metadata: adopting,
      expected: "NameTaken",
    },
    { reason: "an object of another manager", world: viewOf([], live), metadata: {}, expected: "NameExists" },
    { reason: "its object whose labels were taken off", world: viewOf([], lost), metadata: {}, expected: undefined },
    { reason: "an object that its file adopts", world: viewOf([], live), metadata: adopting, expected: undefined },
  ])("gives $expected for $reason", ({ world, metadata, expected }) => {
    expect(refusalOfToken(world, subject(metadata), [shared])?.reason).toBe(expected);
  });
});

describe("the names that a member must own alone", () => {
  const protocols = [clusternetProtocol, fleetProtocol, kubefleetProtocol, rollcallProtocol];

  it.each(protocols)("A269 are of kinds of which $name watches every object", ({ name, ...protocol }) => {
    const member = memberOf(clusterOf("eu-1", { spec: { protocol: name } }));
    const outside = protocol.exclusiveNames(member).filter(({ namespace }) => namespace !== member.workspace);
    const watched = protocol.outsideTypes.filter(({ labelSelector }) => labelSelector === "").map(({ type }) => type);
    for (const { type } of outside) expect(watched).toContain(type);
    // A namespace that a protocol makes is deleted with all that is in it.
    const { namespace } = resourceTypes;
    if (protocol.outsideTypes.some(({ type }) => type === namespace)) expect(watched).toContain(namespace);
  });
});
