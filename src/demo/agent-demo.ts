import type { ResolveImage } from "../embedded-node/node-types.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/**
 * How `rollcall up --protocol` runs the unmodified agent of another project: the demo's files declare clusters of that
 * protocol with kubeconfigs, the hub installs the agent's manifest into embedded clusters, and their nodes run the
 * program for the images of that manifest, as processes of this machine.
 */
export interface AgentDemo {
  /** Fields of `spec` in a demo cluster's file besides protocol, display name and kubeconfig. */
  readonly clusterSpec?: Readonly<Record<string, unknown>>;
  /** What a person or a chart would make on a cluster before the hub installs the agent. Default: nothing. */
  readonly clusterObjects?: readonly KubeObject[];
  /** Maps images of the agent's manifest to the program. */
  readonly resolveImage: (options: AgentProgramOptions) => ResolveImage;
}

export interface AgentProgramOptions {
  /** Absolute path of what `--agent-binary` names. */
  readonly binaryPath: string;
  /** A folder of this cluster alone, for a home or a cache. */
  readonly homeDir: string;
}
