import type { Request } from "./replay.ts";

const deployments = "/apis/apps/v1/namespaces/NS/deployments";
const env = [{ name: "X", value: "1" }, { name: "Y" }];
const containers = [
  { name: "a", image: "none", env },
  { name: "b", image: "none" },
];
const deployment = {
  metadata: { name: "a", finalizers: ["example.org/hold"] },
  spec: {
    paused: true,
    replicas: 0,
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers } },
  },
};

function patch(body: object): Request {
  const path = `${deployments}/a?dryRun=All`;
  return { method: "PATCH", path, contentType: "application/strategic-merge-patch+json", body };
}

const ofPods = (spec: object): Request => patch({ spec: { template: { spec } } });
const order = "$setElementOrder/containers";
const values = ["x", 1, 1.5, true, {}];

const requests: readonly Request[] = [
  { method: "POST", path: deployments, body: deployment },
  ...values.flatMap((value) => [
    patch({ spec: { replicas: value } }),
    patch({ spec: { paused: value } }),
    ofPods({ nodeName: value }),
    ofPods({ nodeSelector: value }),
    ofPods({ nodeSelector: { a: value } }),
    ofPods({ securityContext: { runAsUser: value } }),
    ofPods({ containers: [{ name: "a", args: [value] }] }),
    ofPods({ $patch: value }),
    ofPods({ containers: [{ name: "a", $patch: value }] }),
    ofPods({ [order]: [value] }),
    ofPods({ [order]: [{ name: "b" }, { name: "a" }, value] }),
    ofPods({ [order]: [{ name: "a" }, value] }),
    ofPods({ containers: [{ name: "a", "$setElementOrder/env": [{ name: "Y" }, value], env: [{ name: "Y" }] }] }),
    patch({ metadata: { "$deleteFromPrimitiveList/finalizers": [value] } }),
    patch({ metadata: { "$deleteFromPrimitiveList/finalizers": ["example.org/none", value] } }),
  ]),
  ofPods({ [order]: [{ other: "a" }] }),
  patch({ metadata: { "$deleteFromPrimitiveList/finalizers": [[]] } }),
];

/** Strategic merge patches with values of other types than the fields and directives have. */
export const strategicRequests: readonly (Request & { readonly view: "owners" })[] = requests.map((request) => ({
  ...request,
  view: "owners",
}));
