// The fleet that is recorded: 50 clusters of all protocols, and what becomes of them.
import { workspace } from "./running-fleet.ts";

export const secondWorkspace = "labs";
/** With it, the hub installs agents; another one leads nowhere. */
export const kubeconfigSecrets = { reached: "downstream-kubeconfig", unreached: "unreached-kubeconfig" } as const;
/** Declared from the first commit on, as those below; their agents ask last, and have no answer. */
const joining = ["granted", "half"];
const members = [
  "asking",
  "converting",
  "going",
  "leaving",
  "mover",
  "old-name",
  "paused",
  "protected",
  "revoked",
  "suspended",
];
const withheld = ["withheld-1", "withheld-2"];
export const wave = ["wave-1", "wave-2", "wave-3", "wave-4", "wave-5", "wave-6"];
const slow = { periodSeconds: 3600 };

/** Agents of the own protocol that join before anything else happens, and the token of each. */
export const ownAgents: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...members, ...withheld, ...wave].map((name) => [name, `${workspace}/token`])),
  "edge-1": `${workspace}/edge`,
  "labs-1": `${secondWorkspace}/token`,
  "labs-2": `${secondWorkspace}/token`,
};

/** Agents of Fleet, and their tokens. `fleet-1` and `fleet-open` have no file. */
export const fleetAgents: Readonly<Record<string, string>> = {
  "fleet-1": "fleet-token",
  "fleet-2": "fleet-many",
  "fleet-3": "fleet-many",
  "fleet-going": "fleet-many",
  "fleet-open": "fleet-open",
};
export const kubefleetAgents = ["kubefleet-1", "kubefleet-2", "kubefleet-3", "kubefleet-4", "kubefleet-going"];
export const clusternetAgents = ["clusternet-1", "clusternet-2", "clusternet-3", "clusternet-going"];

type Files = Readonly<Record<string, string | null>>;

/** The first commit. */
export function declaredFiles(): Record<string, string> {
  return {
    ...ownFiles(),
    ...foreignFiles(),
    ...file("ClusterLabels", "all", { selector: { names: ["*"] }, labels: { stage: "prod" } }),
    ...file("ClusterGroup", "prod", { selector: { matchLabels: { stage: "prod" } } }),
  };
}

function ownFiles(): Record<string, string> {
  const names = [...members, ...joining, ...withheld, ...wave];
  // The hub waits for an agent that is to remove itself.
  const uninstalled = { deletionPolicy: "Uninstall" };
  const labs = ["labs-1", "labs-2"];
  const reached = { kubeConfigSecretRef: { name: kubeconfigSecrets.reached } };
  return {
    ...all(names, (name) => cluster(name)),
    ...cluster("converting", uninstalled),
    ...cluster("going", { ...uninstalled, deletionGracePeriod: "1h" }),
    ...cluster("leaving", uninstalled),
    ...cluster("paused", { paused: true }),
    ...cluster("protected", { deletionProtection: true }),
    ...cluster("waiting"),
    ...cluster("installed", reached),
    ...cluster("unreached", { kubeConfigSecretRef: { name: kubeconfigSecrets.unreached } }),
    ...cluster("no-kubeconfig", { kubeConfigSecretRef: { name: "missing" } }),
    ...all([...labs, "labs-waiting"], (name) => cluster(name, {}, secondWorkspace)),
    ...file("ClusterRegistrationToken", "token", { clusterNames: names }),
    ...file("ClusterRegistrationToken", "single", { ttl: "24h", maxRegistrations: 1 }),
    ...file("ClusterRegistrationToken", "edge", { clusterNames: ["edge-*"], clusterLabels: { site: "edge" } }),
    ...file("ClusterRegistrationToken", "review", { clusterNames: ["proposed"], approval: "PullRequest" }),
    "labs/token.yaml": document(
      "ClusterRegistrationToken",
      { name: "token", namespace: secondWorkspace },
      { clusterNames: labs },
    ),
  };
}

function foreignFiles(): Record<string, string> {
  const leaving = { deletionGracePeriod: "1h" };
  const installed = { kubeConfigSecretRef: { name: kubeconfigSecrets.reached }, heartbeat: slow };
  const token = (protocol: string, name: string, clusterNames?: readonly string[]) =>
    file("ClusterRegistrationToken", name, { protocol, ...(clusterNames === undefined ? {} : { clusterNames }) });
  const many = [...Object.keys(fleetAgents).filter((name) => fleetAgents[name] === "fleet-many"), "fleet-half"];
  const clusternet = [...clusternetAgents, "clusternet-half"];
  const withPeriod = { protocol: "kubefleet", heartbeat: { periodSeconds: 600 } };
  return {
    ...token("fleet", "fleet-token", ["fleet-1"]),
    ...token("fleet", "fleet-many", many),
    ...token("fleet", "fleet-open"),
    // A token of several names finds the cluster of an agent by the clientID in its file.
    ...all([...many, "fleet-waiting"], (name) => file("Cluster", name, { protocol: "fleet", clientID: name })),
    ...file("Cluster", "fleet-going", { protocol: "fleet", clientID: "fleet-going", ...leaving }),
    ...file("Cluster", "fleet-installed", { protocol: "fleet", clientID: "fleet-installed", ...installed }),
    ...all([...kubefleetAgents, "kubefleet-waiting"], (name) => file("Cluster", name, withPeriod)),
    ...file("Cluster", "kubefleet-going", { ...withPeriod, ...leaving }),
    ...file("Cluster", "kubefleet-installed", { ...installed, ...withPeriod }),
    ...token("clusternet", "clusternet-token", clusternet),
    ...all(["clusternet-3", "clusternet-half", "clusternet-waiting"], (name) =>
      file("Cluster", name, { protocol: "clusternet" }),
    ),
    ...file("Cluster", "clusternet-going", { protocol: "clusternet", ...leaving }),
    ...file("Cluster", "clusternet-installed", { protocol: "clusternet", ...installed }),
  };
}

/** Another version of the agent, for the clusters of the roll-out. */
export function rolloutFiles(): Files {
  return all(wave, (name) => cluster(name, { agent: { version: "0.2.0" } }));
}

/** One rename, one move to another workspace, one change of the protocol, and a removal of each protocol. */
export const movedClusters: Readonly<Record<string, string>> = {
  [`${workspace}/old-name`]: `${workspace}/new-name`,
  [`${workspace}/mover`]: `${secondWorkspace}/moved`,
};
export const removalCount = 8;
export function changedFiles(): Files {
  const removed = ["going", "leaving", "fleet-going", "kubefleet-going", "clusternet-going", "old-name", "mover"];
  return {
    ...Object.fromEntries(removed.map((name) => [`${workspace}/cluster-${name}.yaml`, null])),
    ...cluster("new-name", { clientID: "old-name", previousName: "old-name" }),
    ...cluster("moved", { clientID: "mover", previousName: `${workspace}/mover` }, secondWorkspace),
    ...cluster("converting", { protocol: "fleet", deletionPolicy: "Uninstall" }),
  };
}

/** Without an approval: more than the budget. */
export function unapprovedFiles(): Files {
  return Object.fromEntries(withheld.map((name) => [`${workspace}/cluster-${name}.yaml`, null]));
}

function cluster(name: string, spec: object = {}, namespace = workspace): Record<string, string> {
  const whole = { clientID: name, heartbeat: slow, ...spec };
  return { [`${namespace}/cluster-${name}.yaml`]: document("Cluster", { name, namespace }, whole) };
}

function file(kind: string, name: string, spec: object): Record<string, string> {
  const path = `${workspace}/${kind === "Cluster" ? "cluster" : kind}-${name}.yaml`;
  return { [path]: document(kind, { name, namespace: workspace }, spec) };
}

function document(kind: string, metadata: object, spec: object): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata, spec });
}

function all(names: readonly string[], one: (name: string) => Record<string, string>): Record<string, string> {
  return Object.assign({}, ...names.map(one)) as Record<string, string>;
}
