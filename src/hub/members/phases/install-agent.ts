import { isAppError } from "../../../core/errors.ts";
import type { InstallState } from "../../../planning/cluster-status-inputs.ts";
import { toTime } from "../../../planning/conditions.ts";
import { callDownstream } from "../call-downstream.ts";
import { failedInstall, installDownstream, readKubeconfig } from "../downstream.ts";
import type { PendingBootstrap } from "../downstream.ts";
import type { MemberPorts, MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** The namespace of a removed agent is deleted by its cluster; the next agent is installed after that. */
export const namespaceEnding: InstallState = {
  kind: "pending",
  reason: "NamespaceEnding",
  message: "The agent's namespace is still being deleted with the former agent.",
};
const installed: InstallState = { kind: "installed", reason: "AgentInstalled", message: "The agent is installed." };

type InstallPorts = Pick<MemberPorts, "view" | "hubFacts" | "clock" | "log" | "connectDownstream" | "callAside">;

/** Installs the agent where the file names a kubeconfig. */
export async function installAgent(scope: MemberScope, ports: InstallPorts): Promise<PhaseResult> {
  scope.install = await installState(scope, ports);
  return next;
}

async function installState(scope: MemberScope, ports: InstallPorts): Promise<InstallState | undefined> {
  const { member, protocol, hub } = scope;
  const kubeconfig = readKubeconfig(ports.view, member);
  if (kubeconfig.kind === "none") return undefined;
  const pending = protocol.pendingBootstrap(member, hub);
  if (!pending) {
    if (member.state?.install) return installed;
    const missing = protocol.whyNotInstalled(member);
    if (missing !== undefined) return { kind: "failed", ...missing };
    return { kind: "pending", reason: "PreparingAgent", message: "The agent's first credential is being made." };
  }
  if (kubeconfig.kind === "missing") return kubeconfig.state;
  try {
    return await installByKubeconfig(scope, ports, { pending, kubeconfig });
  } finally {
    scope.readAgain(); // the call may have taken long
  }
}

async function installByKubeconfig(
  scope: MemberScope,
  ports: InstallPorts,
  options: {
    readonly pending: PendingBootstrap;
    readonly kubeconfig: { readonly text: string; readonly digest: string };
  },
): Promise<InstallState> {
  const { member, signal } = scope;
  const { pending, kubeconfig } = options;
  let server = "the kubeconfig";
  const onHub = recordFailure();
  try {
    const downstreamApi = ports.connectDownstream(kubeconfig.text);
    server = downstreamApi.server;
    try {
      const install = await callDownstream(ports, scope, (limited) =>
        installDownstream(ports, scope.protocol, {
          member,
          downstreamApi,
          kubeconfigDigest: kubeconfig.digest,
          bootstrap: pending,
          onBegin: (namespace) => onHub.write(() => rememberBegin(scope, namespace)),
          signal: limited,
        }),
      );
      if (install === undefined) return namespaceEnding;
      await onHub.write(async () => {
        await scope.write.updateState(scope, ({ installing: _, ...state } = {}) => ({ ...state, install }));
      });
      return installed;
    } finally {
      await downstreamApi.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    // A conflict that the member's API server reports is no reason to end the pass: it would never be in the status.
    if (error === onHub.failure() || (isAppError(error) && error.recovery === "bug")) throw error;
    ports.log.warn("installing an agent failed", { cluster: scope.key, error });
    // A cluster that cannot be reached is mostly why its agent misses heartbeats: the next try waits for its time.
    await scope.write.updateState(scope, ({ rejoin, ...state } = {}) => (rejoin === "AgentLost" ? state : undefined));
    return failedInstall(error, server);
  }
}

/** Distinguishes what fails on the hub from what fails downstream. */
function recordFailure() {
  let failure: unknown;
  return {
    write: async (work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    failure: () => failure,
  };
}

/** A process that ends before `install` is recorded leaves objects downstream: the next one must know that they may be there. */
async function rememberBegin({ member, hub, write }: MemberScope, namespace: string | undefined): Promise<void> {
  const { install, installing } = member.state ?? {};
  if ([install, installing].some((one) => one !== undefined && one.namespace === namespace)) return;
  const begun = { since: toTime(hub.nowMs), ...(namespace === undefined ? {} : { namespace }) };
  await write.updateState(member, (state) => ({ ...state, installing: begun }));
}
