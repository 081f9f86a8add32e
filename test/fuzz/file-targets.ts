import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { checkFleet } from "../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../src/manifests/parse-file.ts";
import { applySuppressions } from "../../src/manifests/suppressions.ts";
import { createDecrypter } from "../../src/secrets/decrypt.ts";
import type { Dice } from "./random-input.ts";
import { randomJson, randomText, shaken } from "./random-input.ts";
import type { Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";

const clusterText = `apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: eu-1
  labels: { env: prod }
spec:
  displayName: Europe
  kubeConfigSecretRef: { name: k }
`;
const kubeconfigText = `apiVersion: v1
kind: Config
current-context: a
contexts: [{ name: a, context: { cluster: a, user: a } }]
clusters: [{ name: a, cluster: { server: "https://a.example" } }]
users: [{ name: a, user: { token: abc } }]
`;
const kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "a", user: "a", namespace: "b" } }],
  clusters: [
    {
      name: "a",
      cluster: { server: "https://a.example", "certificate-authority-data": "LS0t", "tls-server-name": "b" },
    },
  ],
  users: [
    { name: "a", user: { token: "abc", exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x" } } },
    { name: "b", user: { "client-certificate-data": "LS0t", "client-key-data": "LS0t", username: "u", password: "p" } },
  ],
};
/** One of each kind that a file may declare, with fields of every type. */
const documents = [
  {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", labels: { env: "prod" }, annotations: { a: "b" } },
    spec: {
      protocol: "rollcall",
      heartbeat: { periodSeconds: 60, failureThreshold: 3 },
      taints: [{ key: "a", value: "b", effect: "NoSchedule" }],
      deletionGracePeriod: "11h11h90s",
      agent: { env: [{ name: "A", value: "b" }], resources: { requests: { cpu: "100m" } } },
    },
  },
  {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "edge" },
    spec: { ttl: "24h", maxRegistrations: 2, clusterNames: ["edge-*"], clusterLabels: { env: "prod" } },
  },
  {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterGroup",
    metadata: { name: "eu" },
    spec: { selector: { names: ["eu-*"], matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } },
  },
  {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Policy",
    metadata: { name: "house" },
    spec: { scope: { kinds: ["Cluster"], paths: ["a/**"] }, rules: [{ expression: "has(object.spec)", message: "m" }] },
  },
  { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", metadata: { name: "a" }, spec: { clientID: "c" } },
  {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "a" },
    spec: { ttl: "1h" },
  },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { value: "b" } },
];

function randomFile(dice: Dice): string {
  if (dice.next() < 0.4)
    return `${clusterText}${dice.pick(["  ", ""])}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`;
  const others = ["11h11h11h", "{{ x }}", "${A}", "", null, "# rollcall-ignore W_X: y"];
  return Array.from({ length: 1 + dice.below(3) }, () =>
    JSON.stringify(shaken(dice, dice.pick(documents), others)),
  ).join(dice.pick(["\n---\n", " # rollcall-ignore W_EMPTY_SELECTOR: later\n---\n"]));
}

const golden = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../unit/secrets/golden", name), "utf8");
const encrypted = ["secret.yaml", "everything.yaml", "secret.json", "two-documents.yaml", "key-groups.yaml"].map(
  golden,
);

/** Lines of encrypted files, in another order or with other values: what sops writes is one field a line. */
function randomSops(dice: Dice): string {
  const lines = dice.pick(encrypted).split("\n");
  for (let count = dice.below(4); count >= 0; count -= 1) {
    const at = dice.below(lines.length);
    const indent = /^\s*/u.exec(lines[at] ?? "")?.[0] ?? "";
    lines.splice(at, dice.below(3), `${indent}${randomText(dice)}: ${JSON.stringify(randomJson(dice, 2))}`);
  }
  return lines.join("\n");
}

/** The content of files of a repository. */
export const fileTargets: Readonly<Record<string, Target>> = {
  files: {
    seeds: [
      inputOf("", clusterText),
      inputOf("", `${clusterText}---\n${clusterText}`),
      ...documents.map((document) => inputOf("", JSON.stringify(document))),
    ],
    generate: (dice) => inputOf("", randomFile(dice)),
    open: async () => {
      const parse = createFileParser();
      return pure(({ bytes }) => {
        const parsed = parse({ path: "clusters/a.yaml", blobId: "b", bytes });
        const { problems } = checkFleet([parsed], { defaultWorkspace: "fleet" });
        applySuppressions(problems, [{ path: "clusters/a.yaml", text: Buffer.from(bytes).toString("utf8") }]);
      })();
    },
  },
  kubeconfigs: {
    seeds: [inputOf("", kubeconfigText), inputOf("", JSON.stringify(kubeconfig))],
    generate: (dice) =>
      inputOf(
        "",
        dice.next() < 0.5
          ? `${kubeconfigText}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`
          : (JSON.stringify(shaken(dice, kubeconfig)) ?? ""),
      ),
    open: pure(({ bytes }) => readKubeconfig(Buffer.from(bytes).toString("utf8"))),
  },
  sops: {
    seeds: encrypted.map((text) => inputOf("", text)),
    generate: (dice) => inputOf("", randomSops(dice)),
    open: async () => {
      const decrypt = createDecrypter({ ageKeys: [golden("identity.txt")] });
      return pure(({ bytes }) => decrypt({ path: "a.yaml", text: Buffer.from(bytes).toString("utf8") }))();
    },
  },
};
