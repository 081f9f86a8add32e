import type { Intent } from "../intent.ts";
import type { SeenCall } from "../network.ts";

export interface AskedRequests {
  onCall(call: Pick<SeenCall, "sentAtMs" | "status"> & SeenNames): void;
  isGone(cluster: string): boolean;
}

interface SeenNames {
  readonly client: Pick<SeenCall["client"], "name">;
  readonly request: Pick<SeenCall["request"], "method">;
}

/**
 * Whether the request by which an agent was admitted is deleted with a Cluster that a person deleted. A working agent does not read
 * at it, and asks again when it starts.
 */
export function followAskedRequests({ deletedByHand }: Pick<Intent, "deletedByHand">): AskedRequests {
  /** When the hub took a request of each process last. */
  const askedAtMs = new Map<string, number>();
  return {
    onCall: ({ client, request, sentAtMs, status }) => {
      if (request.method === "POST" && status === 201) askedAtMs.set(client.name, sentAtMs);
    },
    isGone: (cluster) => (deletedByHand.get(cluster) ?? -Infinity) > (askedAtMs.get(`agent-${cluster}`) ?? 0),
  };
}
