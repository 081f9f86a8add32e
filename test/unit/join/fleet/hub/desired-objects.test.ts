import { describe, expect, it } from "vitest";
import { valueAt } from "../../../../../src/core/read-json.ts";
import { desiredMemberObjects } from "../../../../../src/join/fleet/hub/desired-objects.ts";
import { clusterNamespaceName } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import { accountOf, fleetMemberOf, grantedMemory } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
const answers = "cattle-fleet-clusters-system";

function objectsBy(reader: string | undefined): KubeObject[] {
  const { reader: _left, ...facts } = grantedMemory().protocolFacts ?? {};
  const protocolFacts = { ...facts, ...(reader === undefined ? {} : { reader }) };
  const state = grantedMemory({ protocolFacts });
  return desiredMemberObjects(fleetMemberOf("eu-1", { state, children: [namespace] }), hubFacts());
}
const readersBy = (reader: string | undefined): unknown =>
  objectsBy(reader).flatMap(({ kind, metadata, ...rest }) =>
    kind === "RoleBinding" && metadata.namespace === answers ? [valueAt(rest, "subjects")] : [],
  );

describe("desiredObjects: who may read the answer to a Fleet agent", () => {
  it("is the account that asked, and no other of the workspace", () => {
    const subject = { kind: "ServiceAccount", name: accountOf("edge"), namespace: workspace };
    expect(readersBy(accountOf("edge"))).toEqual([[subject]]);
  });

  it("is any account of the workspace where the agent did not report which it is: the name of its answer is secret", () => {
    const group = `system:serviceaccounts:${workspace}`;
    const subject = { kind: "Group", name: group, apiGroup: "rbac.authorization.k8s.io" };
    expect(readersBy("")).toEqual([[subject]]);
    expect(readersBy(undefined)).toEqual([[subject]]);
  });

  it("may get that one Secret, and nothing else there", () => {
    const role = objectsBy("a").find(({ kind, metadata }) => kind === "Role" && metadata.namespace === answers);
    expect(role?.["rules"]).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["c-answer"], verbs: ["get"] },
    ]);
  });
});

describe("desiredObjects: the rights of a Fleet agent that was admitted", () => {
  it("are its own account's, in its workspace, its namespace and for contents", () => {
    const agent = { kind: "ServiceAccount", name: "request-a-account", namespace: workspace };
    const bindings = objectsBy("a").filter(
      ({ kind, metadata }) => kind.endsWith("Binding") && metadata.namespace !== answers,
    );
    expect(bindings.map((binding) => [binding.metadata.namespace, valueAt(binding, "roleRef", "name")])).toEqual([
      [workspace, "request-a"],
      [undefined, "fleet-content"],
      [home, "fleet-bundle-deployment"],
    ]);
    for (const binding of bindings) expect(valueAt(binding, "subjects")).toEqual([agent]);
  });

  it("carry the labels by which they are found and removed, inside of the workspace and outside", () => {
    const labelsOf = (object: KubeObject) => object.metadata.labels?.["rollcall.dev/cluster"];
    const owners = (object: KubeObject) => object.metadata.labels?.["rollcall.dev/owner-workspace"];
    const objects = objectsBy("a");
    expect(new Set(objects.map(labelsOf))).toEqual(new Set(["eu-1"]));
    expect(objects.filter(({ metadata }) => metadata.namespace !== workspace).map(owners)).toEqual(
      objects.filter(({ metadata }) => metadata.namespace !== workspace).map(() => workspace),
    );
  });

  it("are beside the account by which the hub installs the agent, which may ask and nothing else", () => {
    const member = fleetMemberOf("eu-1", { spec: { kubeConfigSecretRef: { name: "k" } } });
    const objects = desiredMemberObjects(member, hubFacts()).filter(({ metadata }) =>
      metadata.name.startsWith("import-"),
    );
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ServiceAccount import-token-eu-1",
      "Secret import-token-eu-1-token",
      "Role import-token-eu-1",
      "RoleBinding import-token-eu-1",
    ]);
    expect(objects[2]?.["rules"]).toEqual([
      { apiGroups: ["fleet.cattle.io"], resources: ["clusterregistrations"], verbs: ["create"] },
    ]);
  });
});
