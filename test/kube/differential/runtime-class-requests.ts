import type { Request } from "./replay.ts";

const classes = "/apis/node.k8s.io/v1/runtimeclasses";
const toleration = { key: "a", operator: "Equal", value: "b", effect: "NoExecute" };
const [full, plain] = ["full-ns-NS", "plain-ns-NS"];

function made(name: string, content: object): Request {
  return { method: "POST", path: classes, body: { metadata: { name }, handler: "a", ...content } };
}

function pod(spec: object): Request {
  const containers = [{ name: "main", image: "none" }];
  const body = {
    metadata: { name: "a" },
    spec: { automountServiceAccountToken: false, containers, runtimeClassName: full, ...spec },
  };
  return { method: "POST", path: "/api/v1/namespaces/NS/pods?dryRun=All", body };
}

/** What Pods get from a RuntimeClass, and what of them does not fit to it. */
export const classRequests: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "default" } } },
  made(full, {
    overhead: { podFixed: { cpu: "250m", memory: "1Ki" } },
    scheduling: {
      nodeSelector: { a: "b", constructor: "c" },
      tolerations: [toleration, { key: "c", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
    },
  }),
  made(plain, { scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" } } }),
  pod({}),
  pod({ runtimeClassName: plain }),
  pod({ runtimeClassName: plain, overhead: { cpu: "1" } }),
  pod({ overhead: { cpu: "0.25", memory: "1024" } }),
  pod({ overhead: { cpu: "250m" } }),
  pod({ nodeSelector: { a: "b", d: "e" } }),
  pod({ nodeSelector: { a: "c" } }),
  ...[
    [toleration],
    [{ operator: "Exists" }],
    [{ key: "a", operator: "Exists" }],
    [{ ...toleration, value: "c" }, toleration, { ...toleration, tolerationSeconds: 4 }],
    [{ key: "c", operator: "Exists", effect: "NoExecute", tolerationSeconds: 4 }],
    [{ key: "c", operator: "Exists", effect: "NoExecute", tolerationSeconds: 6 }],
    [{ key: "c", operator: "Exists", effect: "NoSchedule" }],
    [{ key: "c", value: "d" }],
  ].map((tolerations) => pod({ tolerations })),
  {
    method: "PATCH",
    path: `${classes}/${plain}`,
    contentType: "application/merge-patch+json",
    body: { handler: "b" },
  },
  ...[full, plain].map((name): Request => ({ method: "DELETE", path: `${classes}/${name}` })),
  pod({}),
];
