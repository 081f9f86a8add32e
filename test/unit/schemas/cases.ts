/** A document and what every validator must report of it: ajv and CEL on files, the API server on the hub. */
export interface SchemaCase {
  readonly kind: string;
  /** Why it is refused or accepted, as the name of the test. */
  readonly reason: string;
  readonly object: Record<string, unknown>;
  /** A part of what the API server answers; absent when the document is good. */
  readonly refusal?: RegExp;
  /** Which of the two halves of a schema refuses a file: its JSON Schema or its rules in CEL. */
  readonly by?: "schema" | "rule";
}

function object(kind: string, spec?: unknown, metadata: Record<string, unknown> = {}): Record<string, unknown> {
  const base = { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name: "case", ...metadata } };
  return spec === undefined ? base : { ...base, spec };
}

function cluster(reason: string, spec: unknown, refusal?: RegExp, by?: SchemaCase["by"]): SchemaCase {
  return { kind: "Cluster", reason, object: object("Cluster", spec), refusal, by };
}

function ttl(value: unknown, refusal?: RegExp): SchemaCase {
  const kind = "ClusterRegistrationToken";
  const reason = `ttl ${JSON.stringify(value)}`;
  return { kind, reason, object: object(kind, { ttl: value }), refusal, by: refusal && "rule" };
}

function history(days: unknown, refusal?: RegExp): SchemaCase {
  const kind = "Repository";
  const reason = `a history of ${JSON.stringify(days)} days`;
  const spec = { url: "https://git.example.com/a.git", writeBack: { history: days } };
  return { kind, reason, object: object(kind, spec), ...(refusal ? { refusal } : {}) };
}

const digest = `sha256:${"0f".repeat(32)}`;

export const clusterCases: readonly SchemaCase[] = [
  cluster("nothing but a name", undefined),
  cluster("an empty spec", {}),
  cluster("a protocol with its own settings", { protocol: "clusternet", clusternet: { syncMode: "Dual" } }),
  cluster("free values for templates", { protocol: "fleet", fleet: { templateValues: { a: { b: [1, null] } } } }),
  cluster("placement as in a Pod", { agent: { affinity: { nodeAffinity: { any: [{ thing: 1 }] } } } }),
  cluster("an amount without a digit in front of its point, or behind it", {
    agent: { resources: { requests: { cpu: ".5" }, limits: { cpu: "2.", memory: ".5e9" } } },
  }),
  cluster("amounts as numbers and texts", { agent: { resources: { requests: { cpu: 1, memory: "1.5Gi" } } } }),
  cluster("keys of agents", { identity: { keys: [digest] }, previousName: "staging/eu-1" }),
  cluster("settings of a protocol that is not set", { fleet: {} }, /spec\.fleet needs spec\.protocol: fleet/u, "rule"),
  cluster(
    "settings of two protocols",
    { protocol: "fleet", fleet: {}, kubefleet: {} },
    /spec\.kubefleet needs spec\.protocol: kubefleet/u,
    "rule",
  ),
  cluster("placed objects of KubeFleet that are removed", { protocol: "kubefleet", placedResources: "Remove" }),
  cluster("placed objects that are kept where none are", { placedResources: "Keep" }),
  cluster(
    "placed objects that are removed where none are",
    { protocol: "clusternet", placedResources: "Remove" },
    /placedResources: Remove needs spec\.protocol: fleet or kubefleet/u,
    "rule",
  ),
  cluster("an unknown protocol", { protocol: "carrier-pigeon" }, /spec\.protocol: Unsupported value/u, "schema"),
  cluster("a number as a text", { heartbeat: { periodSeconds: "60" } }, /expected numeric/u, "schema"),
  cluster("a period of zero", { heartbeat: { periodSeconds: 0 } }, /greater than or equal to 1/u, "schema"),
  cluster("days in a duration", { deletionGracePeriod: "1d" }, /deletionGracePeriod/u, "schema"),
  cluster("a digest of another kind", { identity: { keys: ["md5:00"] } }, /identity\.keys\[0\]/u, "schema"),
  cluster("one key twice", { identity: { keys: [digest, digest] } }, /uplicate/u, "schema"),
  cluster("a point as an amount", { agent: { resources: { limits: { cpu: "." } } } }, /limits\.cpu/u, "schema"),
  cluster("an amount that is none", { agent: { resources: { limits: { cpu: "many" } } } }, /limits\.cpu/u, "schema"),
  cluster(
    "a password in the hub's address",
    { hubEndpoint: { url: "https://u:p@hub" } },
    /hubEndpoint\.url/u,
    "schema",
  ),
  cluster("plain http to the hub", { hubEndpoint: { url: "http://hub" } }, /hubEndpoint\.url/u, "schema"),
  cluster(
    "a private key among certificates",
    { hubEndpoint: { url: "https://hub", caBundle: "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n" } },
    /hubEndpoint\.caBundle/u,
    "schema",
  ),
  cluster("a reference without a name", { kubeConfigSecretRef: { key: "value" } }, /name: Required value/u, "schema"),
  cluster(
    "value and valueFrom of one variable",
    { agent: { env: [{ name: "A", value: "b", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }] } },
    /set value or valueFrom, not both/u,
    "rule",
  ),
  cluster(
    "one taint twice",
    { taints: ["a", "b"].map((value) => ({ key: "example.com/maintenance", value, effect: "NoSchedule" })) },
    /duplicate entries for key|two taints have the same key and effect/u,
    "rule",
  ),
  cluster(
    "one variable twice",
    { agent: { env: [{ name: "A" }, { name: "A", value: "b" }] } },
    /duplicate entries for key|two variables have the same name/u,
    "rule",
  ),
  {
    kind: "Cluster",
    reason: "a name with upper-case letters",
    object: object("Cluster", {}, { name: "Case" }),
    refusal: /metadata\.name/u,
    by: "schema",
  },
];

export const tokenCases: readonly SchemaCase[] = [
  ...[null, "0", "0s", "10m", "600s", "1.5h", "1h30m", "240h", "999999h"].map((value) => ttl(value)),
  ttl("-1h", /ttl must not be negative/u),
  ttl("10d", /Go durations have no days or weeks: write hours/u),
  ttl("2w", /Go durations have no days or weeks/u),
  ttl("9m59s", /ttl must be at least 10m/u),
  ttl("1ns", /ttl must be at least 10m/u),
  ttl("600", /ttl must be a Go duration/u),
  ttl("", /ttl must be a Go duration/u),
  ttl("1 h", /ttl must be a Go duration/u),
  ttl("9999999h", /ttl must be a Go duration/u),
  {
    kind: "ClusterRegistrationToken",
    reason: "no spec at all",
    object: object("ClusterRegistrationToken"),
  },
  {
    kind: "ClusterRegistrationToken",
    reason: "a single use of nobody",
    object: object("ClusterRegistrationToken", { maxRegistrations: 0 }),
    refusal: /maxRegistrations/u,
    by: "schema",
  },
];

export const groupCases: readonly SchemaCase[] = [
  { kind: "ClusterGroup", reason: "every cluster", object: object("ClusterGroup", { selector: {} }) },
  {
    kind: "ClusterGroup",
    reason: "no selector",
    object: object("ClusterGroup", {}),
    refusal: /spec\.selector: Required value/u,
    by: "schema",
  },
  {
    kind: "ClusterGroup",
    reason: "operator In without values",
    object: object("ClusterGroup", { selector: { matchExpressions: [{ key: "env", operator: "In" }] } }),
    refusal: /operators In and NotIn need at least one value/u,
    by: "rule",
  },
  {
    kind: "ClusterGroup",
    reason: "operator Exists with values",
    object: object("ClusterGroup", {
      selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
    }),
    refusal: /operators Exists and DoesNotExist take no values/u,
    by: "rule",
  },
];

/** Kinds that live in git only: no API server ever sees them. */
export const gitOnlyCases: readonly SchemaCase[] = [
  {
    kind: "ClusterLabels",
    reason: "a rule that sets nothing",
    object: object("ClusterLabels", { selector: {} }),
    refusal: /set at least one of labels, annotations and taints/u,
    by: "rule",
  },
  {
    kind: "ClusterDefaults",
    reason: "a rule that sets nothing",
    object: object("ClusterDefaults", { selector: {} }),
    refusal: /set at least one of agent, heartbeat and deletionPolicy/u,
    by: "rule",
  },
  {
    kind: "Policy",
    reason: "no rules",
    object: object("Policy", { rules: [] }),
    refusal: /fewer than 1/u,
    by: "schema",
  },
];

export const hubCases: readonly SchemaCase[] = [
  { kind: "Repository", reason: "a local folder", object: object("Repository", { url: "/srv/my fleet.git" }) },
  { kind: "Repository", reason: "ssh", object: object("Repository", { url: "ssh://git@git.example.com/a/b.git" }) },
  {
    kind: "Repository",
    reason: "a password in the address",
    object: object("Repository", { url: "https://me:secret@git.example.com/a.git" }),
    refusal: /spec\.url/u,
  },
  {
    kind: "Repository",
    reason: "a transport that runs commands",
    object: object("Repository", { url: "ext::sh -c id" }),
    refusal: /spec\.url/u,
  },
  {
    kind: "Repository",
    reason: "write back to a repository that is not named",
    object: object("Repository", { url: "https://git.example.com/a.git", writeBack: { mode: "Repository" } }),
    refusal: /mode Repository needs url/u,
  },
  ...[1, 3650].map((days) => history(days)),
  history(0, /history: Invalid value: 0: .*greater than or equal to 1/u),
  history(-1, /history: Invalid value: -1: .*greater than or equal to 1/u),
  history(3651, /history: Invalid value: 3651: .*less than or equal to 3650/u),
  history(1.5, /history/u),
  history("30d", /history/u),
  {
    kind: "Repository",
    reason: "proposals outside of the repository",
    object: object("Repository", { url: "https://git.example.com/a.git", proposals: { path: "a/../../{name}" } }),
    refusal: /path must stay inside the repository/u,
  },
  {
    kind: "Repository",
    reason: "a name that fits into no label",
    object: object("Repository", { url: "https://git.example.com/a.git" }, { name: "a".repeat(41) }),
    refusal: /metadata\.name/u,
  },
];
