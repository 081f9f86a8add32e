import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeApi } from "../../src/kube/kube.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AgentProcess } from "./agent-process.ts";
import { startAgentProcess } from "./agent-process.ts";
import type { FleetBootstrap } from "./fleet-agent-client.ts";

/** The program of Fleet's agent, where it is built: suites that need it are skipped without. */
export const fleetAgentBinary = process.env["ROLLCALL_FLEET_AGENT"];

/**
 * Starts the unmodified agent as a process of this machine. All that it keeps is in a namespace of the child that is its own,
 * so that one child carries many.
 */
export async function startFleetAgent(options: {
  readonly childKubeconfig: string;
  readonly namespace: string;
  /** Further variables, as the Deployment of an installed agent has them. */
  readonly environment?: Readonly<Record<string, string>>;
}): Promise<AgentProcess> {
  if (fleetAgentBinary === undefined) throw new Error("ROLLCALL_FLEET_AGENT names no program");
  const folder = await mkdtemp(join(tmpdir(), "rollcall-fleet-agent-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, options.childKubeconfig, { mode: 0o600 });
  return startAgentProcess(fleetAgentBinary, {
    folder,
    env: {
      HOME: folder,
      TMPDIR: folder,
      HOSTNAME: "agent-pod",
      AGENT_SCOPE: options.namespace,
      CHECKIN_INTERVAL: "2s",
      ...options.environment,
      KUBECONFIG: kubeconfig,
      NAMESPACE: options.namespace,
      CATTLE_ELECTION_LEASE_DURATION: "5s",
      CATTLE_ELECTION_RENEW_DEADLINE: "4s",
      CATTLE_ELECTION_RETRY_PERIOD: "1s",
      FLEET_AGENT_METRICS_BIND_ADDRESS: "0",
      FLEET_AGENT_PROBE_BIND_ADDRESS: "0",
      FLEET_AGENT_PPROF_DISABLED: "true",
    },
  });
}

const manager = { fieldManager: "test" };

/** What the agent's chart makes of a token's values: its namespace, its ConfigMap and the Secret to ask with. */
export async function installFleetChart(
  childApi: KubeApi,
  namespace: string,
  { config, bootstrap }: { readonly config: unknown; readonly bootstrap: FleetBootstrap },
): Promise<void> {
  await childApi.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, manager);
  await putFleetConfig(childApi, namespace, config);
  await putFleetBootstrap(childApi, namespace, bootstrap);
}

/** What the agent reads at its start, as it was or another. */
export async function putFleetConfig(childApi: KubeApi, namespace: string, config: unknown): Promise<void> {
  const metadata = { name: "fleet-agent", namespace };
  const data = { config: JSON.stringify(config) };
  await childApi.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, manager);
}

/** The Secret that an agent asks with, as it was or another. */
export async function putFleetBootstrap(
  childApi: KubeApi,
  namespace: string,
  bootstrap: FleetBootstrap,
): Promise<void> {
  const encoded = Object.entries(bootstrap).map(([key, value]: [string, string]): [string, string] => [
    key,
    Buffer.from(value, "utf8").toString("base64"),
  ]);
  const metadata = { name: "fleet-agent-bootstrap", namespace };
  await childApi.apply({ apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) }, manager);
}

/** Deletes what the agent joined with. */
export async function loseFleetCredential(childApi: KubeApi, namespace: string): Promise<void> {
  await childApi.delete({ type: resourceTypes.secret, namespace, name: "fleet-agent" });
}
