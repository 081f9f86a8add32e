import { clusternetBootstrapProtocol, clusternetProtocol } from "../join/clusternet/hub/clusternet-protocol.ts";
import { externalClusternetProtocol } from "../join/clusternet/hub/external-protocol.ts";
import { externalFleetProtocol } from "../join/fleet/hub/external-protocol.ts";
import { fleetProtocol } from "../join/fleet/hub/fleet-protocol.ts";
import { externalKubefleetProtocol } from "../join/kubefleet/hub/external-protocol.ts";
import { kubefleetProtocol } from "../join/kubefleet/hub/kubefleet-protocol.ts";
import type { JoinProtocol } from "../join/join.ts";
import { rollcallProtocol } from "../join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { ServedProtocol as ReportedProtocol } from "../model/generated/served-protocol.ts";
import { AppError } from "../core/errors.ts";
import { installClusternet } from "../install/install-clusternet.ts";
import { installBesideFleet, installFleet } from "../install/install-fleet.ts";
import { installKubefleet } from "../install/install-kubefleet.ts";
import type { Settings } from "../settings/settings.ts";

export type ForeignProtocolName = Exclude<ProtocolName, "rollcall">;

/** What the daemon and the demo need to serve the agents of another project. */
export interface ForeignProtocol {
  readonly protocol: JoinProtocol;
  /** The same where the other project's own controllers serve its agents. Absent: not supported. */
  readonly external?: JoinProtocol;
  /** The same with bootstrap tokens of Kubernetes, of kubeadm's form, for agents to ask with. Absent: there is no choice. */
  readonly bootstrapTokens?: JoinProtocol;
  /** Makes what they need on a hub: definitions, namespaces, rights. What is there already stays as it is. */
  readonly installOnHub: (hubApi: KubeApi, signal: AbortSignal) => Promise<void>;
  /** Makes what holds agents apart where External controllers serve them, and these leave it open. Absent: nothing. */
  readonly installBesideExternal?: (hubApi: KubeApi, signal: AbortSignal) => Promise<void>;
}

/**
 * Every foreign protocol that is served. A new one adds its line here, its name to `--protocol` and its `--serve-<name>`
 * to the table of options.
 */
export const foreignProtocols: ReadonlyMap<ForeignProtocolName, ForeignProtocol> = new Map<
  ForeignProtocolName,
  ForeignProtocol
>([
  [
    "fleet",
    {
      protocol: fleetProtocol,
      external: externalFleetProtocol,
      installOnHub: installFleet,
      installBesideExternal: installBesideFleet,
    },
  ],
  [
    "kubefleet",
    {
      protocol: kubefleetProtocol,
      external: externalKubefleetProtocol,
      installOnHub: installKubefleet,
    },
  ],
  [
    "clusternet",
    {
      protocol: clusternetProtocol,
      external: externalClusternetProtocol,
      bootstrapTokens: clusternetBootstrapProtocol,
      installOnHub: installClusternet,
    },
  ],
]);

/** A foreign protocol that is served, and whose controllers do it. */
export interface ServedProtocol extends ReportedProtocol {
  readonly name: ForeignProtocolName;
}

/**
 * The own protocol and these others.
 * @throws E_UNSUPPORTED for a protocol that only Rollcall's controllers can serve
 */
export function protocolsWith(served: readonly ReportedProtocol[]): ReadonlyMap<ProtocolName, JoinProtocol> {
  const others = served.map(({ name, controllers, bootstrapTokens: hasBootstrapTokens = false }) => {
    const found = name === "rollcall" ? undefined : foreignProtocols.get(name);
    const own = hasBootstrapTokens ? found?.bootstrapTokens : found?.protocol;
    const protocol = controllers === "External" ? found?.external : own;
    if (protocol === undefined)
      throw new AppError("E_UNSUPPORTED", `protocol ${name} cannot be left to ${controllers} controllers`, {
        remedy: `Leave out --${name}-controllers.`,
      });
    return [name, protocol] as const;
  });
  return new Map<ProtocolName, JoinProtocol>([["rollcall", rollcallProtocol], ...others]);
}

/** The protocols that are served, by default those whose `--serve-<name>` is on; with `--<name>-controllers`. */
export function servedProtocols(
  settings: Pick<Settings, "isOn" | "text">,
  isServed = (name: ForeignProtocolName): boolean => settings.isOn(`serve-${name}`),
): ServedProtocol[] {
  return [...foreignProtocols.keys()]
    .filter((name) => isServed(name))
    .map((name) => ({
      name,
      controllers: settings.text(`${name}-controllers`) === "External" ? "External" : "Rollcall",
      bootstrapTokens: settings.isOn(`${name}-bootstrap-tokens`),
    }));
}

/** Makes what the served protocols need on the hub; what External controllers need is theirs to make. */
export async function installProtocols(
  hubApi: KubeApi,
  served: readonly ServedProtocol[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, controllers } of served)
    if (controllers === "Rollcall") await foreignProtocols.get(name)?.installOnHub(hubApi, signal);
}

/** Makes what holds agents apart beside External controllers. The daemon itself has no right to it there. */
export async function installBesideExternal(
  hubApi: KubeApi,
  served: readonly ServedProtocol[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, controllers } of served)
    if (controllers === "External") await foreignProtocols.get(name)?.installBesideExternal?.(hubApi, signal);
}
