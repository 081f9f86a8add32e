import type { Request } from "./replay.ts";

const namespace = "/api/v1/namespaces/NS";
const networking = "/apis/networking.k8s.io/v1/namespaces/NS";
const cidrs = [
  "10.0.0.0/8",
  "010.0.0.0/8",
  "10.0.0.1/8",
  "10.0.0.0/08",
  "2001:db8::/32",
  "2001:DB8::/32",
  "2001:db8::1/32",
];
const addresses = ["192.0.2.1", "192.0.2.01", "::ffff:192.0.2.1", "2001:DB8::1"];
const defaultBackend = { service: { name: "a", port: { number: 80 } } };
const annotations = { "kubernetes.io/ingress.class": "a" };
const merge = "application/merge-patch+json";

function post(path: string, body: object): Request {
  return { method: "POST", path, body };
}

function ofSecret(certificate: string, key: string): Request {
  const [crt, own] = [certificate, key].map((text) => Buffer.from(text).toString("base64"));
  const data = { "tls.crt": crt, "tls.key": own };
  return post(`${namespace}/secrets?dryRun=All`, { metadata: { name: "a" }, type: "kubernetes.io/tls", data });
}

const balancers = addresses.map((ip) => ({ status: { loadBalancer: { ingress: [{ ip }] } } }));

/** What kube-apiserver takes and warns of: networks and addresses in old forms, annotations that fields replaced. */
export const warnedRequests: readonly Request[] = [
  ...cidrs.map((cidr) =>
    post(`${networking}/networkpolicies?dryRun=All`, {
      metadata: { name: "a" },
      spec: {
        podSelector: {},
        ingress: [{ from: [{ ipBlock: { cidr } }] }],
        egress: [{ to: [{ ipBlock: { cidr: cidr.includes(":") ? "::/0" : "0.0.0.0/0", except: [cidr] } }] }],
      },
    }),
  ),
  post(`${networking}/ingresses?dryRun=All`, {
    metadata: { name: "b", annotations },
    spec: { ingressClassName: "b", defaultBackend },
  }),
  post(`${networking}/ingresses`, { metadata: { name: "a", annotations }, spec: { defaultBackend } }),
  {
    method: "PATCH",
    path: `${networking}/ingresses/a`,
    contentType: merge,
    body: { metadata: { labels: { a: "b" } } },
  },
  ...balancers.map((body): Request => ({
    method: "PATCH",
    path: `${networking}/ingresses/a/status`,
    contentType: merge,
    body,
  })),
  ofSecret("", ""),
  ofSecret("x", "y"),
];
