import type { AgentDemo } from "./agent-demo.ts";

/** KubeFleet's agent as a process: its probes get ports that the system chooses; it finds its cluster by KUBECONFIG. */
export const kubefleetAgentDemo: AgentDemo = {
  clusterSpec: { heartbeat: { periodSeconds: 10 } },
  resolveImage: ({ binaryPath, homeDir }) => {
    const program = {
      command: binaryPath,
      args: ["--hub-health-probe-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"],
      env: { HOME: homeDir, TMPDIR: homeDir },
      readsKubeconfig: true,
    };
    return (image) => (/(?:^|\/)member-agent(?:[:@][^/]*)?$/u.test(image) ? program : undefined);
  },
};
