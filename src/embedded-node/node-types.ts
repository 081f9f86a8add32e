import type { KubeApi } from "../kube/kube.ts";

/** Kubernetes objects, as the port of the client names them. */
export type KubeObject = Awaited<ReturnType<KubeApi["create"]>>;
export type ResourceType = Parameters<KubeApi["list"]>[0];

function coreType(kind: string, plural: string, isNamespaced = true): ResourceType {
  return { group: "", version: "v1", kind, plural, isNamespaced };
}

/** The kinds that a node reads and writes. */
export const nodeResources = {
  pod: coreType("Pod", "pods"),
  node: coreType("Node", "nodes", false),
  secret: coreType("Secret", "secrets"),
  configMap: coreType("ConfigMap", "configmaps"),
  event: coreType("Event", "events"),
  lease: { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", isNamespaced: true },
} as const satisfies Record<string, ResourceType>;

/** Field manager of everything the node writes. */
export const nodeManager = "kubelet";

/** The program for an image. */
export interface Program {
  readonly command: string;
  /** Come before the container's own. */
  readonly args: readonly string[];
  /** The environment it starts with; the container's variables override it. */
  readonly env: Readonly<Record<string, string>>;
  /** What a container's `command` may call it. Any other command is refused. Default: none. */
  readonly names?: readonly string[];
  /** It finds its cluster by KUBECONFIG, and receives one of its Pod's service account. Default false. */
  readonly readsKubeconfig?: boolean;
  /** The flag (`--kubeconfig`) for the path of that kubeconfig; the program searches for none by itself. */
  readonly kubeconfigFlag?: string;
}

export type ResolveImage = (image: string) => Program | undefined;

/** RFC 3339 in whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 with microseconds, as MicroTime fields have it. */
export function microTimestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
