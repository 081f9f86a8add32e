/** What `kubectl logs` asks for. Source: Kubernetes API, core/v1 PodLogOptions. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly container?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/**
 * Reads a container's log; the program that runs the Pods provides it. Rejects with E_KUBE_NOT_FOUND or E_KUBE_INVALID.
 */
export type ReadPodLog = (request: PodLogRequest) => Promise<AsyncIterable<Uint8Array>>;
