import { ownValue } from "../core/own-value.ts";
import { statfs } from "node:fs/promises";
import { arch, availableParallelism, hostname, platform, release, totalmem, type as osType } from "node:os";
import { digestJson } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import { timestampOf } from "./node-types.ts";
import type { KubeObject } from "./node-types.ts";

export interface NodeOptions {
  readonly nodeName: string;
  /** Where Pods live; its disk is the node's. */
  readonly dir: string;
  /** Where Pods are reached. */
  readonly address: string;
  /** The cluster's version: the node has no other. */
  readonly version: string;
}

const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", ia32: "386" };

/** The Node as it registers. Source: Kubernetes, well-known labels. */
export function nodeObject({ nodeName }: NodeOptions): KubeObject {
  const architecture = ownValue(goArchitectures, arch()) ?? arch();
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName,
      labels: {
        "beta.kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": platform(),
        "kubernetes.io/arch": architecture,
        "kubernetes.io/hostname": nodeName,
        // Pods ask for `linux`; what runs them here is a process of whatever system this is.
        "kubernetes.io/os": "linux",
      },
    },
    spec: {},
  };
}

/** What this machine has, by resource; all of it is for Pods. */
export async function nodeCapacity(dir: string): Promise<Record<string, string>> {
  const { blocks, bsize } = await statfs(dir);
  return {
    cpu: String(availableParallelism()),
    "ephemeral-storage": `${Math.floor((blocks * bsize) / 1024)}Ki`,
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    pods: "110",
  };
}

/** Capacity, addresses, facts and conditions. A condition that was True before keeps its time. */
export async function nodeStatus(options: NodeOptions, nowMs: number, readySinceMs: number): Promise<JsonObject> {
  const { nodeName, dir, address, version } = options;
  const resources = await nodeCapacity(dir);
  const identity = digestJson([hostname(), dir]);
  return {
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: nodeName },
    ],
    allocatable: resources,
    capacity: resources,
    conditions: nodeConditions(nowMs, readySinceMs),
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: {
      architecture: ownValue(goArchitectures, arch()) ?? arch(),
      bootID: uuidOf(digestJson([identity, readySinceMs])),
      containerRuntimeVersion: "rollcall://local-processes",
      kernelVersion: release(),
      kubeProxyVersion: "",
      kubeletVersion: version,
      machineID: identity.slice(0, 32),
      operatingSystem: "linux",
      osImage: `${osType()} (embedded)`,
      systemUUID: uuidOf(identity),
    },
  };
}

export function nodeConditions(nowMs: number, readySinceMs: number): JsonObject[] {
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    lastHeartbeatTime: timestampOf(nowMs),
    lastTransitionTime: timestampOf(readySinceMs),
    reason,
    message,
  });
  return [
    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
  ];
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}
