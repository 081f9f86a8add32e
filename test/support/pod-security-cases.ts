import type { JsonObject } from "../../src/core/json.ts";

const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** A Pod that the level `restricted` lets in, with the fields of its first container and of itself changed. */
function pod(container: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "a", image: "shop:1", securityContext: safe, ...container }], ...spec },
  };
}

const secured = (more: JsonObject): JsonObject => pod({ securityContext: { ...safe, ...more } });
const ofPod = (security: JsonObject): JsonObject => pod({}, { securityContext: security });
const probe = { httpGet: { port: 80, host: "10.0.0.1" } };

/** A Pod with two containers and an init container. */
function three(first: JsonObject, second: JsonObject, init: JsonObject): JsonObject {
  const container = (name: string, securityContext: JsonObject) => ({ name, image: "shop:1", securityContext });
  return pod(
    {},
    { containers: [container("a", first), container("b", second)], initContainers: [container("i", init)] },
  );
}

/** Pods by what they do: each control of the Pod Security Standards is kept and violated. */
export const podSecurityCases: Readonly<Record<string, JsonObject>> = {
  safe: pod(),
  bare: pod({ securityContext: {} }),
  "two bare containers": three({}, {}, safe),
  "host namespaces": pod({}, { hostNetwork: true, hostPID: true, hostIPC: true }),
  "host pid": pod({}, { hostPID: true }),
  "a host path": pod({}, { volumes: [{ name: "v", hostPath: { path: "/" } }] }),
  "host paths": pod({}, { volumes: ["v", "w"].map((name) => ({ name, hostPath: { path: "/" } })) }),
  "other volumes": pod(
    {},
    {
      volumes: [
        { name: "n", nfs: { server: "s", path: "/" } },
        { name: "v", emptyDir: {} },
      ],
    },
  ),
  "two kinds of volumes": pod(
    {},
    {
      volumes: [
        { name: "n", nfs: { server: "s", path: "/" } },
        { name: "v", hostPath: { path: "/" } },
      ],
    },
  ),
  "a host port": pod({ ports: [{ containerPort: 80, hostPort: 80 }] }),
  "host ports": pod({
    ports: [
      { containerPort: 90, hostPort: 90 },
      { containerPort: 100, hostPort: 100 },
    ],
  }),
  "a probe of a host": pod({ livenessProbe: probe }),
  "probes and hooks of hosts": pod({
    livenessProbe: probe,
    lifecycle: { preStop: { tcpSocket: { port: 80, host: "10.0.0.2" } } },
  }),
  privileged: three({ privileged: true, runAsNonRoot: true }, safe, safe),
  "two privileged": three({ privileged: true }, { privileged: true }, { privileged: true }),
  "a capability": secured({ capabilities: { drop: ["ALL"], add: ["NET_ADMIN"] } }),
  "default capabilities": secured({ capabilities: { add: ["CHOWN", "NET_BIND_SERVICE"] } }),
  "capabilities of two": three(
    { capabilities: { add: ["SYS_TIME", "NET_ADMIN"] } },
    { capabilities: { add: ["NET_ADMIN"] } },
    safe,
  ),
  "a proc mount": pod({ securityContext: { ...safe, procMount: "Unmasked" } }, { hostUsers: false }),
  "an escalation": secured({ allowPrivilegeEscalation: true }),
  "root by a container": secured({ runAsNonRoot: false }),
  "root by the Pod": pod(
    { securityContext: { ...safe, runAsNonRoot: null } },
    { securityContext: { runAsNonRoot: false } },
  ),
  "root by the Pod, not by its container": ofPod({ runAsNonRoot: false }),
  "no root by the Pod": pod(
    { securityContext: { ...safe, runAsNonRoot: null } },
    { securityContext: { runAsNonRoot: true } },
  ),
  "root by one of two": three({ ...safe, runAsNonRoot: false }, { ...safe, runAsNonRoot: null }, safe),
  "user 0": secured({ runAsUser: 0 }),
  "user 0 of the Pod": ofPod({ runAsUser: 0 }),
  "user 0 of both": pod({ securityContext: { ...safe, runAsUser: 0 } }, { securityContext: { runAsUser: 0 } }),
  "user 1": secured({ runAsUser: 1 }),
  "no seccomp": secured({ seccompProfile: null }),
  "unconfined seccomp": secured({ seccompProfile: { type: "Unconfined" } }),
  "unconfined seccomp of the Pod": ofPod({ seccompProfile: { type: "Unconfined" } }),
  "unconfined seccomp of both": pod(
    { securityContext: { ...safe, seccompProfile: { type: "Unconfined" } } },
    { securityContext: { seccompProfile: { type: "Unconfined" } } },
  ),
  "unconfined seccomp and none": three(
    { ...safe, seccompProfile: { type: "Unconfined" } },
    { ...safe, seccompProfile: null },
    safe,
  ),
  "unconfined AppArmor": secured({ appArmorProfile: { type: "Unconfined" } }),
  "unconfined AppArmor of both": pod(
    { securityContext: { ...safe, appArmorProfile: { type: "Unconfined" } } },
    { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  ),
  "the SELinux type of container engines": secured({ seLinuxOptions: { type: "container_engine_t" } }),
  "a SELinux type": secured({ seLinuxOptions: { type: "spc_t" } }),
  "a container's SELinux type": secured({ seLinuxOptions: { type: "container_t" } }),
  "SELinux of the Pod": ofPod({ seLinuxOptions: { user: "u", role: "r", type: "x" } }),
  "SELinux of both": pod(
    { securityContext: { ...safe, seLinuxOptions: { type: "b" } } },
    { securityContext: { seLinuxOptions: { type: "a", level: "s0" } } },
  ),
  "a safe sysctl": ofPod({ sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] }),
  sysctls: ofPod({
    sysctls: [
      { name: "net.core.somaxconn", value: "1" },
      { name: "kernel.msgmax", value: "1" },
    ],
  }),
  "host process": pod(
    { securityContext: { windowsOptions: { hostProcess: true } } },
    { os: { name: "windows" }, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } },
  ),
  windows: pod({ securityContext: { runAsNonRoot: true } }, { os: { name: "windows" } }),
  everything: pod(
    { securityContext: { privileged: true, capabilities: { add: ["NET_ADMIN"] }, runAsUser: 0 } },
    {
      hostNetwork: true,
      volumes: [{ name: "v", hostPath: { path: "/" } }],
      securityContext: { seccompProfile: { type: "Unconfined" } },
    },
  ),
};

const modes = ["enforce", "warn"];
const levels = ["baseline", "restricted", "baseline-v1.24", "restricted-v1.18"];

/** Labels of the namespaces by name: each level, enforced or warned of. */
export const podSecurityNamespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  modes.flatMap((mode) =>
    levels.map((text) => {
      const [level = "", version = "latest"] = text.split("-");
      const label = `pod-security.kubernetes.io/${mode}`;
      return [`ps-${mode}-${text.replace(".", "-")}`, { [label]: level, [`${label}-version`]: version }];
    }),
  ),
);
