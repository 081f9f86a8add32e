import type { AgentDemo } from "./agent-demo.ts";

/** Clusternet's agent as a process: it serves nothing, and a flag names its cluster. */
export const clusternetAgentDemo: AgentDemo = {
  clusterSpec: { heartbeat: { periodSeconds: 10 } },
  resolveImage: ({ binaryPath, homeDir }) => {
    const program = {
      command: binaryPath,
      args: ["--secure-port=0"],
      env: { HOME: homeDir, TMPDIR: homeDir },
      names: ["/usr/local/bin/clusternet-agent"],
      kubeconfigFlag: "--kubeconfig",
    };
    return (image) => (/(?:^|\/)clusternet-agent(?:[:@][^/]*)?$/u.test(image) ? program : undefined);
  },
};
