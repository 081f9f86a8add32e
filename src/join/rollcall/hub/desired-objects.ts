import {
  bootstrapName,
  manifestName,
  recoveryName,
  recoverySecretName,
  rollcallAnnotations,
  workingName,
} from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { toTime } from "../../../planning/conditions.ts";
import { keyDigest } from "../messages.ts";
import { renderAccess, renderTokenSecret } from "./access.ts";
import type { AccessRule } from "./access.ts";
import { currentBootstrap } from "./bootstrap.ts";
import { heartbeatOf, isGranted, isRevoked } from "./member-facts.ts";
import { agentInputs, liveOffer, memberManifest, offeredManifest, offeredSince } from "./member-manifest.ts";
import { registrarRule } from "./desired-token-objects.ts";

const readVerbs = ["get", "list", "watch"];

/**
 * The current objects of a member on the hub: none before an agent may join, the token account while the hub admits
 * one, all of them after it joined. A revoked member keeps its report and loses every account. Not called for a leaving
 * member: see {@link file://./offboarding-steps.ts}.
 */
export function desiredMemberObjects(member: Member, hub: HubFacts): KubeObject[] {
  const labels = { [labelKeys.cluster]: member.name };
  const bootstrapAccess =
    currentBootstrap(member, hub) === undefined
      ? []
      : renderAccess({ name: bootstrapName(member.name), workspace: member.workspace, labels, rules: [registrarRule] });
  if (!isGranted(member)) return bootstrapAccess;
  const spoken = [renderReport(member, labels), renderLease(member, labels)];
  if (isRevoked(member)) return spoken;
  return [...bootstrapAccess, ...renderAccounts(member, labels), ...spoken, renderManifestMap(member, hub, labels)];
}

/** What the working credential may do: its own three objects, by name, and never a status. */
function workingRules(clusterName: string): AccessRule[] {
  const report = { apiGroups: ["rollcall.dev"], resources: ["clusterreports"], resourceNames: [clusterName] };
  const lease = {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [workingName(clusterName)],
  };
  const manifest = { apiGroups: [""], resources: ["configmaps"], resourceNames: [manifestName(clusterName)] };
  return [
    { ...report, verbs: [...readVerbs, "patch"] },
    { ...lease, verbs: [...readVerbs, "patch"] },
    { ...manifest, verbs: readVerbs },
  ];
}

/** What the recovery credential may do: ask, in its own report, for a working one. */
function recoveryRules(clusterName: string): AccessRule[] {
  return [
    {
      apiGroups: ["rollcall.dev"],
      resources: ["clusterreports"],
      resourceNames: [clusterName],
      verbs: ["get", "patch"],
    },
  ];
}

function renderAccounts(member: Member, labels: Readonly<Record<string, string>>): KubeObject[] {
  const { name, workspace, state } = member;
  const recovery = { name: recoveryName(name), workspace, labels };
  const keys = state?.keys;
  return [
    ...renderAccess({ name: workingName(name), workspace, labels, rules: workingRules(name) }),
    ...renderAccess({ ...recovery, rules: recoveryRules(name) }),
    ...(keys === undefined ? [] : [renderTokenSecret(recovery, recoverySecretName(name, keyDigest(keys.signing)))]),
  ];
}

function renderReport({ name, workspace }: Member, labels: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterReport",
    metadata: { name, namespace: workspace, labels: { ...labels } },
  };
}

/** The Lease reports to the agent, with every heartbeat, when to send the next one. */
function renderLease(member: Member, labels: Readonly<Record<string, string>>): KubeObject {
  const { periodSeconds, windowSeconds } = heartbeatOf(member);
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: workingName(member.name),
      namespace: member.workspace,
      labels: { ...labels },
      annotations: { [rollcallAnnotations.heartbeatPeriod]: String(periodSeconds) },
    },
    spec: { leaseDurationSeconds: windowSeconds },
  };
}

function renderManifestMap(member: Member, hub: HubFacts, labels: Readonly<Record<string, string>>): KubeObject {
  const { text, digest } = offeredManifest(member, hub);
  const live = liveOffer(member);
  const isSame = live?.digest === digest;
  const isHeld = isSame && live.inputs !== agentInputs(member) && memberManifest(member, hub).digest !== digest;
  const { manifestDigest, agentInputs: inputs, offeredAt } = rollcallAnnotations;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: manifestName(member.name),
      namespace: member.workspace,
      labels: { ...labels },
      annotations: {
        [manifestDigest]: digest,
        [inputs]: isHeld ? (live.inputs ?? "") : agentInputs(member),
        [offeredAt]: isSame ? offeredSince(live, member, hub) : toTime(hub.nowMs),
      },
    },
    data: { manifest: text },
  };
}
