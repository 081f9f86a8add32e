export interface StartHubOptions {
  /** Holds everything the hub keeps. Default: a temporary folder, which `close` removes. */
  readonly dir?: string;
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Names and addresses, besides localhost and 127.0.0.1, that clients dial. Default: none. */
  readonly hosts?: readonly string[];
}

export interface RunningHub {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** YAML with everything inline; its user is a member of system:masters. */
  readonly kubeconfig: string;
  /** Resolves when no controller has work to do now. */
  whenIdle(): Promise<void>;
  /** Ends the hub. */
  close(): Promise<void>;
}

/** Starts a Kubernetes API server in this process. */
export function startHub(options?: StartHubOptions): Promise<RunningHub>;
