import type { AgentDemo } from "./agent-demo.ts";

/** Rancher Fleet's agent as a process: it needs no ports of its own, and finds its cluster by KUBECONFIG. */
export const fleetAgentDemo: AgentDemo = {
  clusterSpec: { heartbeat: { periodSeconds: 10 } },
  resolveImage: ({ binaryPath, homeDir }) => {
    const program = {
      command: binaryPath,
      args: [],
      env: {
        HOME: homeDir,
        TMPDIR: homeDir,
        FLEET_AGENT_METRICS_BIND_ADDRESS: "0",
        FLEET_AGENT_PROBE_BIND_ADDRESS: "0",
        FLEET_AGENT_PPROF_DISABLED: "true",
      },
      names: ["fleetagent"],
      readsKubeconfig: true,
    };
    return (image) => (/(?:^|\/)fleet-agent(?:[:@][^/]*)?$/u.test(image) ? program : undefined);
  },
};
