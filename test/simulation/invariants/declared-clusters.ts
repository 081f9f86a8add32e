import { isJsonEqual } from "../../../src/core/json.ts";
import { numberAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { DeclaredCluster } from "../fleet-files.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { clientIdOf, doorOf, foreignNames, foreignOf } from "../foreign/foreign-names.ts";
import { hasKubeconfig } from "../by-kubeconfig.ts";
import { declaredAt, groupName, headOf, policyOf, ownerAt, tierOf, tokenName } from "../fleet-files.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";

/** At rest each object that files declare is what they declare, with rules and defaults: no field more, less or other. */
export function declaredObjectsAreAsInFiles({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "at rest each declared object is what the files declare";
  const compare = (what: string, live: unknown, wanted: unknown): void => {
    if (!isJsonEqual(live ?? null, wanted ?? null))
      violate(name, `${what} is ${JSON.stringify(live)} where the files say ${JSON.stringify(wanted)}`);
  };
  return {
    name,
    atRest: () => {
      const head = headOf(world);
      const declared = declaredAt(world, head);
      const owner = ownerAt(world, head);
      for (const [cluster, file] of declared) {
        const live = mirror.get(`${clusterPrefix}${cluster}`);
        if (live === undefined || file.isBroken || intent.suspended.has(cluster)) continue;
        for (const [what, is, wanted] of differencesOf(cluster, { live, file, owner }))
          compare(`${cluster}, ${what}`, is, wanted);
        const foreign = foreignFactsOf(cluster);
        if (foreign === undefined || !mayWork({ world, mirror, intent }, cluster)) continue;
        const shown = mirror.get(foreign.shownKeyOf(cluster));
        compare(`${cluster}, label in ${shown?.kind}`, shown?.metadata.labels?.["edition"], file.edition);
        const taints = [{ key: "example.com/edition", value: file.edition, effect: "NoSchedule" }];
        if (foreign.showsTaints)
          compare(`${cluster}, taints in ${shown?.kind}`, valueAt(shown, "spec", "taints"), taints);
      }
      for (const protocol of [undefined, ...foreignNames]) {
        const names = [...declared.keys()].filter((one) => foreignOf(one) === protocol && !hasKubeconfig(one)).sort();
        const door = protocol === undefined ? tokenName : doorOf(protocol);
        if (door === undefined || (protocol !== undefined && names.length === 0)) continue;
        const token = mirror.get(`/rollcall.dev/clusterregistrationtokens/fleet/${door}`);
        compare(`clusterNames of the token ${door}`, valueAt(token, "spec", "clusterNames"), names);
      }
      const group = mirror.get(`/rollcall.dev/clustergroups/fleet/${groupName}`);
      const members = [...mirror.below(clusterPrefix).values()].filter((one) => tierLabel(one) === groupName);
      compare("the number of clusters of the group", numberAt(group, "status", "clusters"), members.length);
    },
  };
}

/** What a Cluster has, and what its file and the rules declare. */
function differencesOf(
  cluster: string,
  {
    live,
    file,
    owner,
  }: { readonly live: KubeObject; readonly file: DeclaredCluster; readonly owner: string | undefined },
): readonly (readonly [what: string, is: unknown, wanted: unknown])[] {
  const { edition, path } = file;
  const tier = tierOf(cluster);
  const labels = { edition, tier, ...(tier === "gold" && owner !== undefined ? { owner } : {}) };
  return [
    ["labels", live.metadata.labels, { ...labels, "rollcall.dev/repository": "rollcall-system.fleet" }],
    // A file that moves with the same content is no reason to write.
    ["file", nameOfPath(live.metadata.annotations?.["rollcall.dev/source-file"]), nameOfPath(path)],
    ["file of the status", nameOfPath(textAt(live, "status", "source", "file")), nameOfPath(path)],
    ["display name", textAt(live, "spec", "displayName"), `Cluster ${cluster}, ${edition}`],
    ["taints", valueAt(live, "spec", "taints"), [{ key: "example.com/edition", value: edition, effect: "NoSchedule" }]],
    ["client", textAt(live, "spec", "clientID"), clientIdOf(cluster)],
    ["protocol", textAt(live, "spec", "protocol"), foreignOf(cluster) ?? "rollcall"],
    ["log level", textAt(live, "spec", "agent", "logLevel"), tier === "silver" ? "debug" : "info"],
    ["grace period", textAt(live, "spec", "deletionGracePeriod"), cluster.endsWith("2") ? "4m" : "0s"],
    ["deletion policy", textAt(live, "spec", "deletionPolicy"), policyOf(cluster)],
    ["observed generation", numberAt(live, "status", "observedGeneration"), live.metadata.generation],
  ];
}

function nameOfPath(path: string | undefined): string | undefined {
  return path?.split("/").at(-1);
}

function tierLabel({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.["tier"];
}
