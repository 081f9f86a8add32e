import { isAppError } from "../core/errors.ts";
import type { JoinProtocol } from "../join/join.ts";
import { rollcallProtocol } from "../join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { foreignProtocols } from "./foreign-protocols.ts";

/** The heartbeat (RFC 3339) in the object that carries it. Undefined: no agent has sent one, or it is not a time. */
export function heartbeatTime(
  protocol: Pick<JoinProtocol, "heartbeatIn">,
  object: KubeObject | undefined,
): string | undefined {
  const marker = object && protocol.heartbeatIn(object)?.marker;
  return marker === undefined || Number.isNaN(Date.parse(marker)) ? undefined : marker;
}

/**
 * Reads the last heartbeat of a cluster from the hub, for any protocol and any controllers that serve it. Undefined:
 * none was sent, or the user may not read its object.
 */
export async function readHeartbeat(
  hubApi: Pick<KubeApi, "get">,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name, namespace: workspace = "" } = cluster.metadata;
  for (const protocol of protocolsOf(cluster)) {
    const object = await getIfAllowed(hubApi, protocol.heartbeatRef({ workspace, name, cluster }), signal);
    const time = heartbeatTime(protocol, object);
    if (time !== undefined) return time;
  }
  return undefined;
}

function protocolsOf({ spec }: Cluster): readonly JoinProtocol[] {
  const name = spec?.protocol ?? "rollcall";
  if (name === "rollcall") return [rollcallProtocol];
  const { protocol, external } = foreignProtocols.get(name) ?? {};
  return [protocol, external].filter((one) => one !== undefined);
}

async function getIfAllowed(
  hubApi: Pick<KubeApi, "get">,
  ref: ReturnType<JoinProtocol["heartbeatRef"]>,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await hubApi.get(ref, { signal });
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN") || isAppError(error, "E_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}
