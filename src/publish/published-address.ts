import type { Cluster } from "../model/generated/cluster.ts";
import { annotationKeys } from "../model/well-known.ts";
import { createGroups } from "./groups.ts";
import type { PublishedIndex } from "./published-index.ts";
import { publishedKey } from "./published-index.ts";
import { serverOf } from "./published-server.ts";

/**
 * Names that mean, to each Pod, the cluster that it runs in. For Argo CD a Secret with one is that of its own cluster, for
 * which it uses its own account. Source: Argo CD, KubernetesInternalAPIServerAddr and RawRestConfig.
 */
const ownClusterHost = /^kubernetes(\.default(\.svc(\..*)?)?)?\.?$/u;

/**
 * The address with which each Cluster is to be published, from the decision on: what is written of it is seen later, and two
 * Clusters may be published at the same time. A Cluster is named as `workspace/name`.
 */
export interface AddressClaims {
  /** The Clusters that claim an address. */
  at(server: string): readonly string[];
  /** Replaces what the Cluster claims; undefined: nothing. */
  set(key: string, server: string | undefined): void;
}

export function createAddressClaims(): AddressClaims {
  const byServer = createGroups<string>();
  return {
    at: byServer.of,
    set: (key, server) => {
      byServer.remove(key);
      if (server !== undefined) byServer.add(server, key, key);
    },
  };
}

export interface AddressScene {
  readonly publishedIndex: Pick<PublishedIndex, "at">;
  readonly claims: AddressClaims;
  readonly clusterOf: (workspace: string, name: string) => Cluster | undefined;
}

/**
 * Why Argo CD is not given this address for a Cluster: it would deploy there what is meant for another one, or by its own
 * rights. Undefined: nothing speaks against it, and the Cluster claims it from now on. Clusters of one workspace may share an
 * address, and one that moves takes it along.
 */
export function claimAddress(cluster: Cluster, server: string, scene: AddressScene): string | undefined {
  const { namespace, name } = cluster.metadata;
  const refusal = addressRefusal(cluster, server, scene);
  if (refusal === undefined) scene.claims.set(`${namespace}/${name}`, serverOf(server));
  return refusal;
}

function addressRefusal(cluster: Cluster, server: string, scene: AddressScene): string | undefined {
  const { hostname } = URL.canParse(server) ? new URL(server) : { hostname: "" };
  if (ownClusterHost.test(hostname))
    return `its server is ${hostname}, which means Argo CD's own cluster to Argo CD: use an address that others reach it by`;
  const { namespace: workspace = "", name } = cluster.metadata;
  const keys = scene.publishedIndex.at(serverOf(server)).map(({ object }) => publishedKey(object));
  if (keys.includes(`${workspace}/${name}`)) return undefined;
  const holder = [...keys, ...scene.claims.at(serverOf(server))].find(
    (key) => !key.startsWith(`${workspace}/`) && !isMovingTo(key, cluster, scene),
  );
  return holder && `its server is that of ${holder}, of another workspace, by which Argo CD knows that cluster`;
}

/** By the holder's own Cluster, which is in the other workspace. */
function isMovingTo(holder: string, { metadata }: Cluster, { clusterOf }: AddressScene): boolean {
  const [workspace = "", name = ""] = holder.split("/");
  const annotations = clusterOf(workspace, name)?.metadata.annotations;
  return annotations?.[annotationKeys.movedTo] === `${metadata.namespace}/${metadata.name}`;
}
