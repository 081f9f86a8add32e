import { importTokenName } from "../model/dialects/fleet.ts";
import { isInstalledFleet } from "./check-names.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { describeDocument } from "./fleet-document.ts";
import { identityKeysOf, protocolOf, stringAt } from "./cluster-facts.ts";
import type { SchemaFinding } from "./schema-finding.ts";

/** A name that must be unique, and its text for messages. */
interface Claim {
  readonly key: string;
  readonly place: Pick<SchemaFinding, "path" | "part">;
  readonly what: () => string;
}

/**
 * Reports E_DUPLICATE at every document that declares what another one declares, naming the other's place: the same
 * object, the same MemberCluster from two workspaces, the same client id, agent key or token of the hub for two
 * clusters.
 */
export function checkDuplicates(documents: readonly FleetDocument[], report: FleetReport): void {
  const first = new Map<string, FleetDocument>();
  const contested = new Map<string, FleetDocument[]>();
  for (const subject of documents) {
    for (const { key } of claimsOf(subject)) {
      const other = first.get(key);
      if (other === undefined) {
        first.set(key, subject);
      } else {
        const subjects = contested.get(key) ?? [other];
        subjects.push(subject);
        contested.set(key, subjects);
      }
    }
  }
  const reported = new Set<FleetDocument>();
  for (const [key, subjects] of contested) {
    const claimants = subjects.flatMap((subject) => claimantOf(subject, key));
    claimants.forEach(({ subject, claim }, index) => {
      const other = claimants[index === 0 ? 1 : 0];
      // Two files for one cluster have everything else twice too.
      if (other === undefined || reported.has(subject)) return;
      reported.add(subject);
      const { file, line } = report.positionOf(other.subject, other.claim.place);
      const more = claimants.length > 2 ? ` and ${claimants.length - 2} more` : "";
      const message = `${claim.what()} is also declared in ${file}:${line}${more}; none of them is applied`;
      report.add(subject, { code: "E_DUPLICATE", ...claim.place, message });
    });
  }
}

interface Claimant {
  readonly subject: FleetDocument;
  readonly claim: Claim;
}

function claimantOf(subject: FleetDocument, key: string): Claimant[] {
  const claim = claimsOf(subject).find((candidate) => candidate.key === key);
  return claim ? [{ subject, claim }] : [];
}

function claimsOf(subject: FleetDocument): Claim[] {
  const { object, role, workspace = "" } = subject;
  const { name } = object.metadata;
  const kind = role === "approval" ? object.kind : role;
  const claims: Claim[] = [
    { key: `${kind}/${workspace}/${name}`, place: nameOfObject, what: () => describeDocument(subject) },
  ];
  const approved = role === "approval" ? stringAt(object, "spec", "clusterName") : undefined;
  if (approved !== undefined) {
    const place = { path: ["spec", "clusterName"], part: "value" } as const;
    claims.push({ key: `approval/${workspace}/${approved}`, place, what: () => `an approval of cluster ${approved}` });
  }
  if (role !== "Cluster") return claims;
  const home = homeNamespaceOf(subject);
  if (home !== undefined) {
    const { path, namespace } = home;
    const what = (): string => `the hub's namespace ${namespace} for another cluster`;
    claims.push({ key: `clusternet//${namespace}`, place: { path, part: "value" }, what });
  }
  if (protocolOf(subject) === "kubefleet") {
    claims.push({
      key: `MemberCluster//${name}`,
      place: nameOfObject,
      what: () => `MemberCluster ${name} (one for all workspaces)`,
    });
  }
  if (isInstalledFleet(subject)) {
    const token = importTokenName(name);
    const what = (): string =>
      `a cluster whose agent the hub installs by the token ${token} (long names are shortened)`;
    claims.push({ key: `importToken/${workspace}/${token}`, place: nameOfObject, what });
  }
  const idField = isManagedCluster(subject) ? "clusterId" : "clientID";
  const clientId = stringAt(object, "spec", idField);
  if (clientId !== undefined) {
    const place = { path: ["spec", idField], part: "value" } as const;
    claims.push({ key: `clientID/${workspace}/${clientId}`, place, what: () => `the same spec.${idField}` });
  }
  identityKeysOf(subject).forEach((digest, index) => {
    const place = { path: ["spec", "identity", "keys", index], part: "value" } as const;
    claims.push({ key: `key/${digest}`, place, what: () => "the same agent key" });
  });
  return claims;
}

/** The namespace that a file wants for its ManagedCluster. */
function homeNamespaceOf(subject: FleetDocument): { path: string[]; namespace: string } | undefined {
  const { object } = subject;
  const isManaged = isManagedCluster(subject);
  const path = isManaged ? ["metadata", "namespace"] : ["spec", "clusternet", "clusterNamespace"];
  const namespace = isManaged ? object.metadata.namespace : stringAt(object, ...path);
  return namespace === undefined ? undefined : { path, namespace };
}

function isManagedCluster({ object, isForeign }: FleetDocument): boolean {
  return isForeign && object.kind === "ManagedCluster";
}

const nameOfObject = { path: ["metadata", "name"], part: "value" } as const;
