import { describe, expect, it } from "vitest";
import { neededRights } from "../../../../src/daemon/check/needed-rights.ts";
import type { DaemonRule, RightsScope } from "../../../../src/model/generated/daemon-rights.ts";
import { daemonRights } from "../../../../src/model/generated/daemon-rights.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

type Given = Readonly<Record<string, string | boolean>>;

/** The scopes of docs/rbac.md by place, `*` for the whole hub; `installing` for rules that no scope has. */
function scopesOf(given: Given, workspaces: readonly string[] = []): Record<string, string[]> {
  const repo = "https://git.example.com/fleet.git";
  const settings = readSettings("check", { given: { repo, ...given }, environment: {} });
  const scopeOf = new Map<DaemonRule, string>();
  for (const [scope, rules] of Object.entries(daemonRights)) for (const rule of rules) scopeOf.set(rule, scope);
  return Object.fromEntries(
    neededRights(settings, workspaces).map(({ namespace = "*", rules }) => [
      namespace,
      [...new Set(rules.map((rule) => scopeOf.get(rule) ?? "installing"))],
    ]),
  );
}

const usual = { "*": ["cluster"], "rollcall-system": ["namespace"], "rollcall-public": ["public"] };

describe("neededRights", () => {
  it("are those of the hub, of the daemon's namespace, of the public one and of each workspace", () => {
    expect(scopesOf({})).toEqual(usual);
    expect(scopesOf({ namespace: "here" }, ["eu", "us"])).toEqual({
      "*": ["cluster"],
      here: ["namespace"],
      "rollcall-public": ["public"],
      eu: ["workspace"],
      us: ["workspace"],
    });
  });

  const hub = (...scopes: readonly (RightsScope | "installing")[]) => ["cluster", ...scopes];
  it.each<{ given: Given; more: Record<string, readonly string[]> }>([
    {
      given: { "publish-cluster-profiles": true },
      more: { "*": hub("profileReading"), eu: ["workspace", "profiles"] },
    },
    { given: { "page-address": "127.0.0.1:8080", "page-access": "Token" }, more: { "*": hub("page") } },
    { given: { "page-address": "127.0.0.1:8080", "page-access": "Proxy" }, more: { "*": hub("page") } },
    { given: { "page-address": "127.0.0.1:8080", "page-access": "Open" }, more: {} },
    { given: { "page-access": "Token" }, more: {} },
    { given: { "install-crds": true }, more: { "*": hub("installing") } },
    { given: { "follow-repositories": true }, more: { "rollcall-system": ["namespace", "repositories"] } },
    { given: { "publish-argocd": "argocd" }, more: { argocd: ["publish"] } },
    { given: { "publish-flux": "flux-system" }, more: { "flux-system": ["publish"] } },
    { given: { "publish-argocd": "tools", "publish-flux": "tools" }, more: { tools: ["publish"] } },
    {
      given: { "serve-fleet": true },
      more: {
        "*": hub("fleet"),
        eu: ["workspace", "fleetClusters", "fleetWorkspace"],
        "cattle-fleet-clusters-system": ["fleetRegistrations"],
      },
    },
    {
      given: { "serve-fleet": true, "fleet-controllers": "External" },
      more: { eu: ["workspace", "fleetClusters"] },
    },
    { given: { "fleet-controllers": "External" }, more: {} },
    { given: { "serve-kubefleet": true }, more: { "*": hub("kubefleetMembers", "kubefleet") } },
    {
      given: { "serve-kubefleet": true, "kubefleet-controllers": "External" },
      more: { "*": hub("kubefleetMembers") },
    },
    { given: { "serve-clusternet": true }, more: { "*": hub("clusternetClusters", "clusternet") } },
    {
      given: { "serve-clusternet": true, "clusternet-bootstrap-tokens": true },
      more: { "*": hub("clusternetClusters", "clusternet"), "kube-system": ["clusternetBootstrap"] },
    },
    {
      given: {
        "serve-clusternet": true,
        "clusternet-controllers": "External",
        "clusternet-bootstrap-tokens": true,
      },
      more: { "*": hub("clusternetClusters") },
    },
    { given: { "clusternet-bootstrap-tokens": true }, more: {} },
  ])("with $given has $more, and no others", ({ given, more }) => {
    expect(scopesOf(given, ["eu"])).toEqual({ ...usual, eu: ["workspace"], ...more });
  });

  it("has the rights to make definitions and namespaces with --install-crds", () => {
    const settings = readSettings("check", { given: { "install-crds": true }, environment: {} });
    const [hubRights] = neededRights(settings, []);
    const known = new Set(Object.values(daemonRights).flat());
    const more = hubRights?.rules.filter((one) => !known.has(one));
    expect(more?.map(({ resources, verbs }) => [resources, verbs])).toEqual([
      [["customresourcedefinitions"], ["get", "create", "patch"]],
      [["namespaces"], ["get", "create", "patch"]],
    ]);
  });
});
