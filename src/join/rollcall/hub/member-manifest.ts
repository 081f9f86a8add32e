import { digestJson, sha256Hex } from "../../../core/digest.ts";
import { BoundedCache } from "../../../core/bounded-cache.ts";
import { freezeJson } from "../../../core/freeze-json.ts";
import { memoizeWeak } from "../../../core/memoize-weak.ts";
import { numberAt, textAt } from "../../../core/read-json.ts";
import { parseJson } from "../../../core/parse-json.ts";
import { manifestName, rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { AgentProgress } from "../../../planning/agent-waves.ts";
import { toTime } from "../../../planning/conditions.ts";
import { renderManifest } from "../manifests/agent-manifest.ts";
import type { RenderedManifest } from "../manifests/agent-manifest.ts";
import {
  agentNamespaceOf,
  childOf,
  successorKeyOf,
  isGranted,
  isLeaving,
  isRevoked,
  reportOf,
} from "./member-facts.ts";

export const defaultDeadlineSeconds = 600;

/** How far the clocks of a hub's leaders may be apart: what is later was written before a clock was set back. */
export const clockToleranceMs = 60_000;

/**
 * The desired manifest of a member's agent. While the agent's fields of the Cluster stay the same, the offered manifest
 * stays the same: another version of this program alone restarts no agent.
 */
export function memberManifest(member: Member, hub: HubFacts): RenderedManifest {
  const live = liveOffer(member);
  if (live !== undefined && live.inputs === agentInputs(member)) return live;
  const settings = member.cluster.spec?.agent ?? {};
  return renderManifest({
    namespace: agentNamespaceOf(member),
    image: imageOf(settings.image ?? hub.agentImage, settings.version ?? hub.version),
    settings,
    deadlineSeconds: hub.agentDeadlineSeconds ?? defaultDeadlineSeconds,
  });
}

/** The manifest that is offered: the wanted one, or the one before while the member has to wait. */
export function offeredManifest(member: Member, hub: HubFacts): RenderedManifest {
  const wanted = memberManifest(member, hub);
  const live = liveOffer(member);
  const applied = appliedDigest(member);
  const isSettled = live?.digest === wanted.digest || applied === undefined || applied === wanted.digest;
  if (live === undefined || isSettled) return wanted;
  const isHeld = member.cluster.spec?.paused === true || agentHoldOf(member, hub) !== undefined;
  return isHeld ? live : wanted;
}

/** Digest of all fields of a Cluster that configure its agent. */
export function agentInputs(member: Member): string {
  return digestJson({ namespace: agentNamespaceOf(member), settings: member.cluster.spec?.agent ?? {} });
}

export function agentHoldOf(
  { workspace, name }: Member,
  hub: HubFacts,
): ReturnType<NonNullable<HubFacts["agentHold"]>> {
  return hub.agentHold?.(`${workspace}/${name}`);
}

/** The progress of a member whose agent is another than the wanted one; undefined when it is, or is not to be changed. */
export function agentProgress(member: Member, hub: HubFacts): Omit<AgentProgress, "isUnresponsive"> | undefined {
  if (!isGranted(member) || isLeaving(member) || isRevoked(member) || successorKeyOf(member) !== undefined)
    return undefined;
  const applied = appliedDigest(member);
  if (applied === undefined || member.cluster.spec?.paused) return undefined;
  const wanted = memberManifest(member, hub);
  if (applied === wanted.digest) return undefined;
  const key = `${member.workspace}/${member.name}`;
  const version = versionOf(wanted);
  if (textAt(reportOf(member), "spec", "refusedManifestDigest") === wanted.digest)
    return { key, version, state: "refused" };
  const live = liveOffer(member);
  if (live?.digest !== wanted.digest) return { key, version, state: "waiting" };
  return { key, version, state: "changing", offeredAtMs: Date.parse(live.offeredAt) };
}

/** Version, or digest, of the image that a manifest runs. */
export function versionOf({ objects }: RenderedManifest): string {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const image = textAt(deployment, "spec", "template", "spec", "containers", 0, "image") ?? "";
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  const mark = lastPart.search(/[@:]/u);
  return mark < 0 ? lastPart : lastPart.slice(mark + 1);
}

export interface LiveOffer extends RenderedManifest {
  readonly inputs: string | undefined;
  readonly offeredAt: string;
}

/** The manifest on the hub. Undefined when there is none, or when it was edited manually: then it is rendered anew. */
export function liveOffer(member: Member): LiveOffer | undefined {
  const map = childOf(member, resourceTypes.configMap, manifestName(member.name));
  return map === undefined ? undefined : readOffer(map);
}

/** Read once for each version: every reconcile of a member asks several times. */
const readOffer = memoizeWeak((map: KubeObject): LiveOffer | undefined => {
  const text = textAt(map, "data", "manifest");
  const annotations = map.metadata.annotations ?? {};
  const manifest = text === undefined ? undefined : parseManifest(text);
  if (manifest === undefined || annotations[rollcallAnnotations.manifestDigest] !== manifest.digest) return undefined;
  return {
    ...manifest,
    inputs: annotations[rollcallAnnotations.agentInputs],
    offeredAt: annotations[rollcallAnnotations.offeredAt] ?? "",
  };
});

/** By text: most members of a fleet are offered the same one. All of them together have at most so many characters. */
const manifests = new BoundedCache<string, RenderedManifest>({ limit: 4_000_000, weightOf: ({ text }) => text.length });

function parseManifest(text: string): RenderedManifest | undefined {
  const known = manifests.get(text);
  if (known !== undefined) return known;
  const objects = parseJson(text);
  if (!Array.isArray(objects)) return undefined;
  const manifest = { objects: freezeJson(objects) as KubeObject[], text, digest: `sha256:${sha256Hex(text)}` };
  manifests.set(text, manifest);
  return manifest;
}

/**
 * Since when an agent has the manifest that it is offered; now, where no time is written or the hub's clock was set back to
 * before it. Without that, an agent that does not follow would have the time until the clock has caught up.
 */
export function offeredSince({ digest, offeredAt }: LiveOffer, member: Member, { nowMs }: HubFacts): string {
  const isUsable = Date.parse(offeredAt) <= nowMs + clockToleranceMs;
  return isUsable || appliedDigest(member) === digest ? offeredAt : toTime(nowMs);
}

/** The digest of the manifest that the agent reports to run. */
export function appliedDigest(member: Member): string | undefined {
  const report = reportOf(member);
  return numberAt(report, "spec", "protocolVersion") === undefined
    ? undefined
    : textAt(report, "spec", "appliedManifestDigest");
}

/** The image with its tag; one that has a tag or a digest already stays as it is. */
export function imageOf(image: string, version: string): string {
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  return lastPart.includes(":") || lastPart.includes("@") ? image : `${image}:${version}`;
}
