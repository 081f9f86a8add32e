import { isAppError } from "../core/errors.ts";
import type { JoinProtocol } from "../join/join.ts";
import type { Member } from "../model/member.ts";
import type { InstallState } from "../planning/cluster-status.ts";
import { toTime } from "../planning/conditions.ts";
import { failedInstall, installAgent, readKubeconfig } from "./downstream.ts";
import type { HubContext } from "./hub-context.ts";
import { currentMember, writeMemory } from "./hub-context.ts";
import { mintAndDeliver } from "./mint-credential.ts";

/** An installation that could not be done is tried again after this, unless its kubeconfig changes before. */
const installRetryMs = 30_000;
/** The namespace of an agent that was removed is deleted by its cluster; the next one is installed when that is done. */
const namespaceEnding: InstallState = {
  kind: "pending",
  reason: "NamespaceEnding",
  message: "The agent's namespace is still being deleted with the former agent.",
};
const namespaceRetryMs = 2_000;

/** Milliseconds after which an installation is to be tried again; undefined where there is nothing to try. */
export function installRetryMsOf(install: InstallState | undefined): number | undefined {
  if (install === namespaceEnding) return namespaceRetryMs;
  return install === undefined || install.kind === "installed" ? undefined : installRetryMs;
}

/**
 * Remembers whether the hub gives the agent another way in although it joined before: it can only with a kubeconfig at
 * hand. Returns when (epoch ms) that may be another matter.
 */
export async function keepRejoin(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const cluster = `${member.workspace}/${member.name}`;
  const { rejoin, ...memory } = member.memory ?? {};
  const verdict = protocol.rejoinOf?.(member, context.hubFacts(), context.health.stateOf(cluster)) ?? {};
  const { reason, changesAtMs } = verdict;
  if (reason === rejoin || (rejoin === undefined && readKubeconfig(context, member).kind !== "found"))
    return changesAtMs;
  const rejoinAt = toTime(context.hubFacts().nowMs);
  await writeMemory(context, member, reason === undefined ? memory : { ...memory, rejoin: reason, rejoinAt }, signal);
  if (reason !== undefined) context.log.warn("the hub installs an agent again", { cluster, reason });
  return changesAtMs;
}

/** A cluster that cannot be reached is mostly why its agent is silent: the next try is not before its time. */
async function giveUpRepair(context: HubContext, member: Member, signal: AbortSignal): Promise<void> {
  const { rejoin, ...memory } = currentMember(context, member).memory ?? {};
  if (rejoin === "AgentLost") await writeMemory(context, member, memory, signal);
}

/** Issues what is due, and installs the agent where that is ours to do; undefined where it is not. */
export async function issueAndInstall(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<InstallState | undefined> {
  for (const due of protocol.mintsDue({ kind: "member", member }, context.hubFacts())) {
    const subject = { kind: "member" as const, member: currentMember(context, member) };
    await mintAndDeliver(context, protocol, { subject, due, signal });
  }
  const seen = currentMember(context, member);
  const kubeconfig = readKubeconfig(context, seen);
  if (kubeconfig.kind === "none") return undefined;
  const pending = protocol.pendingBootstrap(seen, context.hubFacts());
  if (!pending) {
    if (seen.memory?.install)
      return { kind: "installed", reason: "AgentInstalled", message: "The agent is installed." };
    const missing = protocol.whyNotInstalled?.(seen);
    if (missing !== undefined) return { kind: "failed", ...missing };
    return { kind: "pending", reason: "PreparingAgent", message: "The agent's first credential is being made." };
  }
  if (kubeconfig.kind === "missing") return kubeconfig.state;
  return installByKubeconfig(context, protocol, { member: seen, signal, pending, kubeconfig });
}

async function installByKubeconfig(
  context: HubContext,
  protocol: JoinProtocol,
  options: {
    readonly member: Member;
    readonly signal: AbortSignal;
    readonly pending: NonNullable<ReturnType<JoinProtocol["pendingBootstrap"]>>;
    readonly kubeconfig: { readonly text: string; readonly digest: string };
  },
): Promise<InstallState> {
  const { member, signal, pending, kubeconfig } = options;
  let server = "the kubeconfig";
  try {
    const downstreamApi = context.connectDownstream(kubeconfig.text);
    server = downstreamApi.server;
    try {
      const install = await installAgent(context, protocol, {
        member,
        downstreamApi,
        kubeconfigDigest: kubeconfig.digest,
        bootstrap: pending,
        signal,
      });
      if (install === undefined) return namespaceEnding;
      await writeMemory(context, member, { ...currentMember(context, member).memory, install }, signal);
      return { kind: "installed", reason: "AgentInstalled", message: "The agent is installed." };
    } finally {
      await downstreamApi.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, "E_KUBE_CONFLICT") || (isAppError(error) && error.recovery === "bug")) throw error;
    context.log.warn("installing an agent failed", { cluster: `${member.workspace}/${member.name}`, error });
    await giveUpRepair(context, member, signal);
    return failedInstall(error, server);
  }
}
