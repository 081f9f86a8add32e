import { describe, expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { parseText } from "./read-text.ts";

/** As Fleet's own documentation writes them. */
const documents = {
  "token.yaml": `kind: ClusterRegistrationToken
apiVersion: "fleet.cattle.io/v1alpha1"
metadata:
    name: new-token
    namespace: clusters
spec:
    # A duration string for how long this token is valid for. A value <= 0 or null means infinite time.
    ttl: 240h
`,
  "predefined.yaml": `kind: Cluster
apiVersion: fleet.cattle.io/v1alpha1
metadata:
  name: my-cluster
  namespace: clusters
spec:
  clientID: "really-random"
`,
  "by-kubeconfig.yaml": `apiVersion: fleet.cattle.io/v1alpha1
kind: Cluster
metadata:
  name: my-other-cluster
  namespace: clusters
  labels:
    demo: "true"
    env: dev
spec:
  kubeConfigSecret: my-cluster-kubeconfig
`,
  "group.yaml": `kind: ClusterGroup
apiVersion: fleet.cattle.io/v1alpha1
metadata:
  name: production-group
  namespace: clusters
spec:
  selector:
    matchLabels:
      region: us-east
`,
};

describe("checkFleet: the documents of Fleet's users", () => {
  const files = Object.entries(documents).map(([path, text]) => parseText(text, path));
  const { fleet, problems } = checkFleet(files, { defaultWorkspace: "clusters" });

  it("are taken as they are", () => {
    expect(problems).toEqual([]);
    const clusters = fleet.clusters.map(({ object: { metadata, spec } }) => [metadata.name, metadata.labels, spec]);
    expect(clusters).toEqual([
      ["my-cluster", undefined, { protocol: "fleet", clientID: "really-random" }],
      [
        "my-other-cluster",
        { demo: "true", env: "dev" },
        { protocol: "fleet", kubeConfigSecretRef: { name: "my-cluster-kubeconfig" } },
      ],
    ]);
    expect(fleet.tokens.map(({ object }) => object.spec)).toEqual([{ protocol: "fleet", fleet: { ttl: "240h" } }]);
    expect(fleet.groups.map(({ object }) => object.spec)).toEqual([
      { selector: { matchLabels: { region: "us-east" } } },
    ]);
  });

  it("A39 cannot use a kubeconfig of another namespace", () => {
    const text = `${documents["by-kubeconfig.yaml"]}  kubeConfigSecretNamespace: fleet-default\n`;
    const checked = checkFleet([parseText(text, "away.yaml")], { defaultWorkspace: "clusters" });
    expect(checked.problems.map(({ code, line }) => `${code} ${line}`)).toEqual(["E_REFERENCE_OUTSIDE 11"]);
    const own = `${documents["by-kubeconfig.yaml"]}  kubeConfigSecretNamespace: clusters\n`;
    expect(checkFleet([parseText(own, "own.yaml")], { defaultWorkspace: "clusters" }).problems).toEqual([]);
  });
});
