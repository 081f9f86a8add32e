import { expect, it } from "vitest";
import { parse } from "yaml";
import { moreClusterFiles } from "../../../src/demo/up-more-clusters.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";

function cluster(name: string, namespace?: string): Cluster {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: {} };
}

it("makes files of clusters beside those that are declared, in the workspace of the first", () => {
  const declared = [cluster("edge-2", "labs"), cluster("other", "fleet")];
  const extraSpec = { protocol: "kubefleet", heartbeat: { periodSeconds: 10 } };
  const files = moreClusterFiles(declared, 2, { prefix: "edge", extraSpec });
  const fileOf = (number: number) => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: `edge-${number}`, namespace: "labs", labels: { env: "dev" } },
    spec: {
      displayName: `Edge ${number}`,
      kubeConfigSecretRef: { name: `edge-${number}-kubeconfig` },
      ...extraSpec,
    },
  });
  expect([...files].map(([path, text]) => [path, parse(text) as unknown])).toEqual([
    ["clusters/edge/edge-1.yaml", fileOf(1)],
    ["clusters/edge/edge-3.yaml", fileOf(3)],
  ]);
});

it.each([{ declared: [] }, { declared: [cluster("a")] }])(
  "uses the workspace `fleet` where none is declared",
  ({ declared }) => {
    const [text = ""] = moreClusterFiles(declared, 1, { prefix: "edge", extraSpec: {} }).values();
    expect(parse(text)).toMatchObject({ metadata: { namespace: "fleet" } });
  },
);
