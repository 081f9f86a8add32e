import type { Clock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import type { Entropy, JoinProtocol } from "../../join/join.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { ProtocolName } from "../../model/generated/protocol.ts";
import type { HubFacts } from "../../model/member.ts";
import { HealthTimer } from "../health.ts";
import { HubView } from "../hub-view.ts";
import type { MemberPorts } from "../members/member-scope.ts";
import { outsideTypesOf } from "../outside-types.ts";
import { watchedTypes } from "../watched-types.ts";
import type { RehearsalNotes } from "./rehearsed-protocol.ts";
import { rehearsedProtocols } from "./rehearsed-protocol.ts";
import type { SimulatedHub } from "./simulated-hub.ts";

/** What the hub's controllers are given in a rehearsal. */
export interface RehearsalSetting {
  /** Those that the daemon serves. */
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  readonly hubFacts: HubFacts;
  /** Whether a kubeconfig of a cluster can be read. Default: every one can. */
  readonly checkKubeconfig?: (kubeconfig: string) => void;
  readonly isAllowedWorkspace: (name: string) => boolean;
}

export type SimulatedClock = Clock & { set(nowMs: number): void };

/** No timer fires here: all waits are stopped at the end. */
export function createSimulatedClock(startMs: number): SimulatedClock {
  let now = startMs;
  return {
    nowMs: () => now,
    monotonicMs: () => startMs,
    set: (nowMs) => {
      now = nowMs;
    },
    sleep: (_durationMs, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("the rehearsal is over")), { once: true });
      }),
  };
}

/** The ports of the real controllers, on a hub in memory: nothing leaves the process. */
export function openPorts(
  { protocols, hubFacts, isAllowedWorkspace, checkKubeconfig }: RehearsalSetting,
  { hub, clock, seen }: { readonly hub: SimulatedHub; readonly clock: Clock; readonly seen: RehearsalNotes },
): MemberPorts {
  const view = new HubView({
    types: watchedTypes([...protocols.values()]),
    outsideTypes: outsideTypesOf(protocols),
    registrationTypeOf: (name) => protocols.get(name)?.registrations.type,
    identifyingTypes: [...protocols.values()].flatMap(({ registrations }) => registrations.identifyingTypes),
    namedSecretsOf: (name, cluster) => protocols.get(name)?.namedSecrets(cluster) ?? [],
    startCache: hub.startCache,
    isAllowedWorkspace,
    log: silentLog,
  });
  return {
    hubApi: hub.api,
    view,
    health: new HealthTimer({ clock, onTurn: () => undefined, watchFailingSinceMs: () => undefined }),
    protocols: rehearsedProtocols(protocols, seen),
    hubFacts: () => ({ ...hubFacts, nowMs: clock.nowMs() }),
    clock,
    entropy: plannedEntropy,
    log: silentLog,
    events: { record: () => undefined },
    childFights: {
      record: () => undefined,
      isHeld: () => false,
      describe: () => undefined,
      nextInMs: () => undefined,
    },
    agentRollout: () => ({}),
    publishedHoldMs: () => 0,
    answerWaitMs: () => 0,
    pendingAdmissions: { holdBackMs: () => 0 },
    callAside: (call) => call(),
    connectDownstream: (kubeconfig) => {
      checkKubeconfig?.(kubeconfig);
      return willingCluster(hub.api, seen);
    },
  };
}

/** No agent uses a credential of a rehearsal. */
const plannedEntropy: Entropy = { bytes: (count) => new Uint8Array(count).fill(1) };

/** A downstream cluster that has nothing and takes everything. */
function willingCluster(base: KubeApi, { steps }: RehearsalNotes): KubeApi {
  const install = "install the agent by the kubeconfig";
  return {
    ...base,
    server: "the cluster",
    get: () => Promise.resolve(undefined),
    apply: (object) => {
      if (!steps.includes(install)) steps.push(install);
      return Promise.resolve(object);
    },
    delete: () => Promise.resolve(),
  };
}
