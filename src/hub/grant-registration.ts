import type { MemberState } from "../model/member-state.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { TokenSubject } from "../model/member.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { originOf } from "../planning/member-origin.ts";
import type { HubWriter } from "./hub-writer.ts";
import type { Granted } from "./provisional-members.ts";

/** Keeps all reconciles off a member until the function that it returns is called. */
export type HoldMember = (workspace: string, name: string) => () => void;

/**
 * Remembers who was admitted, then makes its Cluster if there is none. In this order a crash between the two loses nothing:
 * the Cluster of a member that is remembered is made again.
 */
export async function grantRegistration(
  write: Pick<HubWriter, "apply" | "updateState">,
  { clusterName: name, cluster, state }: Granted,
  options: {
    readonly workspace: string;
    readonly token: TokenSubject | undefined;
    readonly holdMember: HoldMember;
  },
): Promise<void> {
  const { workspace, token, holdMember } = options;
  const object = cluster && newcomerOf(cluster, { state, token });
  // Seen between the two writes, the member would resemble one whose Cluster was deleted manually.
  const release = holdMember(workspace, name);
  try {
    await write.updateState({ workspace, name }, (live) => {
      const origin = object ? originOf(object) : live?.origin;
      return { ...(origin ? { origin } : {}), ...state };
    });
    if (object) await write.apply(object);
  } finally {
    release();
  }
}

/**
 * A Cluster that a token admitted. It belongs to the token's repository and is never pruned, having no file. Its labels
 * are all set at once: no other manager owns one of them yet.
 */
function newcomerOf(
  cluster: Cluster,
  { state, token }: { readonly state: MemberState; readonly token: TokenSubject | undefined },
): Cluster & KubeObject {
  const { metadata, spec } = cluster;
  const repository = token?.token.metadata.labels?.[labelKeys.repository];
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: {
        ...metadata.labels,
        ...state.labels?.agent,
        ...state.labels?.token,
        ...(repository === undefined ? {} : { [labelKeys.repository]: repository }),
      },
      ...(metadata.annotations ? { annotations: withoutSource(metadata.annotations) } : {}),
    },
    ...(spec ? { spec } : {}),
  };
}

function withoutSource(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== annotationKeys.sourceFile));
}
