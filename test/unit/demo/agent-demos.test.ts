import { describe, expect, it } from "vitest";
import { agentDemos } from "../../../src/demo/agent-demos.ts";

const places = { binaryPath: "/opt/agent", homeDir: "/home" };
const home = { HOME: "/home", TMPDIR: "/home" };

describe.each([
  {
    protocol: "fleet" as const,
    image: "fleet-agent",
    program: {
      args: [],
      env: {
        ...home,
        FLEET_AGENT_METRICS_BIND_ADDRESS: "0",
        FLEET_AGENT_PROBE_BIND_ADDRESS: "0",
        FLEET_AGENT_PPROF_DISABLED: "true",
      },
      names: ["fleetagent"],
      readsKubeconfig: true,
    },
  },
  {
    protocol: "kubefleet" as const,
    image: "member-agent",
    program: {
      args: ["--hub-health-probe-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"],
      env: home,
      readsKubeconfig: true,
    },
  },
  {
    protocol: "clusternet" as const,
    image: "clusternet-agent",
    program: {
      args: ["--secure-port=0"],
      env: home,
      names: ["/usr/local/bin/clusternet-agent"],
      kubeconfigFlag: "--kubeconfig",
    },
  },
])("the agent of $protocol in the demo", ({ protocol, image, program }) => {
  const resolve = agentDemos[protocol].resolveImage(places);

  it.each([image, `registry.example/team/${image}:v1.2`, `registry.example:5000/${image}@sha256:00`])(
    "is the program for the image %s",
    (name) => {
      expect(resolve(name)).toEqual({ command: "/opt/agent", ...program });
    },
  );

  it.each([`my-${image}`, `${image}-debug:v1`, `${image}/other:v1`, "busybox"])("is none for the image %s", (name) => {
    expect(resolve(name)).toBeUndefined();
  });
});
