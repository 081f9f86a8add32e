import { fleetRegistrationNamespace } from "../../model/dialects/fleet.ts";
import { publicNamespace } from "../../model/dialects/rollcall.ts";
import type { DaemonRule, RightsScope } from "../../model/generated/daemon-rights.ts";
import { daemonRights } from "../../model/generated/daemon-rights.ts";
import type { Settings } from "../../settings/settings.ts";

/** Rules that hold in one namespace, or, without one, in the whole hub. */
export interface NeededRights {
  readonly namespace?: string;
  readonly rules: readonly DaemonRule[];
}

/** What --install-crds makes that the chart makes otherwise. */
const installing: readonly DaemonRule[] = [
  {
    why: "installs the definitions (--install-crds)",
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    verbs: ["get", "create", "patch"],
  },
  {
    why: "makes the namespaces of the daemon and the workspaces that options name (--install-crds)",
    apiGroups: [""],
    resources: ["namespaces"],
    verbs: ["get", "create", "patch"],
  },
];

type Chosen = Pick<Settings, "isOn" | "text" | "requiredText">;

/** The rights that a daemon with these settings needs, by place. The same as what the chart gives: docs/rbac.md. */
export function neededRights(settings: Chosen, workspaces: readonly string[]): readonly NeededRights[] {
  const rules = (...scopes: readonly RightsScope[]): readonly DaemonRule[] =>
    scopes.flatMap((scope) => daemonRights[scope]);
  const when = (isOn: boolean, ...scopes: readonly RightsScope[]): readonly RightsScope[] => (isOn ? scopes : []);
  const serves = (name: string): boolean => settings.isOn(`serve-${name}`);
  const controls = (name: string): boolean => serves(name) && settings.text(`${name}-controllers`) !== "External";
  const hasProfiles = settings.isOn("publish-cluster-profiles");
  const hasPage = settings.text("page-address") !== undefined && settings.text("page-access") !== "Open";
  const ofWorkspace = rules(
    "workspace",
    ...when(hasProfiles, "profiles"),
    ...when(serves("fleet"), "fleetClusters"),
    ...when(controls("fleet"), "fleetWorkspace"),
  );
  const publishing = ["publish-argocd", "publish-flux"].flatMap((name) => settings.text(name) ?? []);
  const bootstraps = controls("clusternet") && settings.isOn("clusternet-bootstrap-tokens");
  return [
    {
      rules: [
        ...rules(
          "cluster",
          ...when(hasProfiles, "profileReading"),
          ...when(hasPage, "page"),
          ...when(controls("fleet"), "fleet"),
          ...when(serves("kubefleet"), "kubefleetMembers"),
          ...when(controls("kubefleet"), "kubefleet"),
          ...when(serves("clusternet"), "clusternetClusters"),
          ...when(controls("clusternet"), "clusternet"),
        ),
        ...(settings.isOn("install-crds") ? installing : []),
      ],
    },
    {
      namespace: settings.requiredText("namespace"),
      rules: rules("namespace", ...when(settings.isOn("follow-repositories"), "repositories")),
    },
    { namespace: publicNamespace, rules: rules("public") },
    ...workspaces.map((namespace) => ({ namespace, rules: ofWorkspace })),
    ...[...new Set(publishing)].map((namespace) => ({ namespace, rules: rules("publish") })),
    ...(controls("fleet") ? [{ namespace: fleetRegistrationNamespace, rules: rules("fleetRegistrations") }] : []),
    ...(bootstraps ? [{ namespace: "kube-system", rules: rules("clusternetBootstrap") }] : []),
  ];
}

/** Rights that a daemon with these settings uses, and does without: it cannot see then what uses a Secret that it removes. */
export function optionalRights(settings: Pick<Settings, "text">): readonly NeededRights[] {
  const flux = settings.text("publish-flux");
  return [
    ...(settings.text("publish-argocd") === undefined ? [] : [{ rules: daemonRights.argocdUsers }]),
    ...(flux === undefined ? [] : [{ namespace: flux, rules: daemonRights.fluxUsers }]),
  ];
}
