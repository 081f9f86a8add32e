import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentProcess } from "./agent-process.ts";
import { startAgentProcess } from "./agent-process.ts";

/** The program of Clusternet's agent, where it is built: suites that need it are skipped without. */
export const clusternetAgentBinary = process.env["ROLLCALL_CLUSTERNET_AGENT"];

/**
 * Starts the unmodified agent as a process of this machine. Its Lease and Secret are in a namespace of the child that is its
 * own, so that one child carries many.
 */
export async function startClusternetAgent(options: {
  readonly childKubeconfig: string;
  readonly namespace: string;
  /** Flags by name, as `rollcall join --print-flags` gives them. */
  readonly flags: Readonly<Record<string, string>>;
}): Promise<AgentProcess> {
  if (clusternetAgentBinary === undefined) throw new Error("ROLLCALL_CLUSTERNET_AGENT names no program");
  const folder = await mkdtemp(join(tmpdir(), "rollcall-clusternet-agent-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, options.childKubeconfig, { mode: 0o600 });
  const flags = {
    kubeconfig,
    "leader-elect-resource-namespace": options.namespace,
    "leader-elect-lease-duration": "5s",
    "leader-elect-renew-deadline": "4s",
    "leader-elect-retry-period": "1s",
    "cluster-status-update-frequency": "2s",
    "cluster-status-collect-frequency": "1s",
    "secure-port": "0",
    v: "4",
    ...options.flags,
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  return startAgentProcess(clusternetAgentBinary, { folder, args, env: { HOME: folder } });
}
