import type { AgentSettings } from "../../src/model/generated/agent-settings.ts";

/** A value for each field of `spec.agent` of a Cluster. */
export const everyAgentSetting: AgentSettings = {
  namespace: "fleet-agent",
  image: "mirror.example.com/rollcall",
  version: "0.2.0",
  replicas: 2,
  resources: { requests: { cpu: "20m" }, limits: { memory: "256Mi" } },
  tolerations: [
    { key: "edge", operator: "Exists" },
    { key: "edge", operator: "Equal", value: "slow", effect: "NoExecute", tolerationSeconds: 60 },
  ],
  affinity: {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
  },
  nodeSelector: { pool: "system" },
  priorityClassName: "system-cluster-critical",
  env: [
    { name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" },
    { name: "ROLLCALL_HEALTH_PORT", value: "1" },
    { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "login", key: "password" } } },
    { name: "REGION", valueFrom: { configMapKeyRef: { name: "place", key: "region" } } },
    { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
  ],
  imagePullSecrets: [{ name: "registry" }],
  hostNetwork: true,
  logLevel: "debug",
  redeployGeneration: 3,
};
