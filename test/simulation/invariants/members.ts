import { isJsonEqual } from "../../../src/core/json.ts";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import { firstNameOf } from "../first-name.ts";
import { declaredAt, headOf } from "../fleet-files.ts";
import type { ForeignFacts } from "../foreign/foreign-facts.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { clusterPrefix } from "../mirror.ts";
import { followAskedRequests } from "./asked-requests.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";

/** What a cluster that has joined has on the hub, without its name. */
function objectsOf(cluster: string): readonly string[] {
  return [
    `//serviceaccounts/fleet/rollcall-${cluster}`,
    `//serviceaccounts/fleet/rollcall-${cluster}.recovery`,
    `/rbac.authorization.k8s.io/roles/fleet/rollcall-${cluster}`,
    `/rbac.authorization.k8s.io/roles/fleet/rollcall-${cluster}.recovery`,
    `/rbac.authorization.k8s.io/rolebindings/fleet/rollcall-${cluster}`,
    `/rbac.authorization.k8s.io/rolebindings/fleet/rollcall-${cluster}.recovery`,
    `/coordination.k8s.io/leases/fleet/rollcall-${cluster}`,
    `/rollcall.dev/clusterreports/fleet/${cluster}`,
    `//configmaps/fleet/rollcall-agent-${cluster}`,
    `//configmaps/fleet/rollcall-cluster-${cluster}`,
  ];
}

function objectsOfForeign(cluster: string, foreign: ForeignFacts): readonly string[] {
  const state = `//configmaps/fleet/rollcall-cluster-${cluster}`;
  return [state, `//namespaces//${foreign.homeOf(cluster)}`, ...foreign.objectsOf(cluster)];
}

/** What an agent of the simulator calls its own. */
const agentVersion = "0.1.0";
const readVerbs = ["get", "list", "watch"];

/** What the working credential may do (docs of the join protocol): its own three objects. */
function rightsOf(cluster: string): readonly object[] {
  const named = { resourceNames: [`rollcall-${cluster}`] };
  return [
    {
      apiGroups: ["rollcall.dev"],
      resources: ["clusterreports"],
      resourceNames: [cluster],
      verbs: [...readVerbs, "patch"],
    },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], ...named, verbs: [...readVerbs, "patch"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [`rollcall-agent-${cluster}`], verbs: readVerbs },
  ];
}

/**
 * At rest the hub has for each member that may work what it needs, with the rights of the protocol; its facts are those of the
 * cluster.
 */
export function membersAreComplete({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "at rest a member has its objects, its rights and the facts of its cluster";
  const requests = followAskedRequests(intent);
  return {
    name,
    onCall: (call) => requests.onCall(call),
    atRest: () => {
      for (const [cluster, { isBroken }] of declaredAt(world, headOf(world))) {
        const object = mirror.get(`${clusterPrefix}${cluster}`);
        if (object === undefined || isBroken || !mayWork({ world, mirror, intent }, cluster)) continue;
        const foreign = foreignFactsOf(cluster);
        const keys = foreign === undefined ? objectsOf(cluster) : objectsOfForeign(cluster, foreign);
        const request = requests.isGone(cluster) ? undefined : foreign?.requestKeyOf?.(cluster);
        for (const key of [...keys, ...(request === undefined ? [] : [request])])
          if (mirror.get(key) === undefined) violate(name, `${key} is missing`);
        if (foreign !== undefined) continue;
        const role = mirror.get(`/rbac.authorization.k8s.io/roles/fleet/rollcall-${cluster}`);
        if (role !== undefined && !isJsonEqual(role["rules"], rightsOf(cluster)))
          violate(name, `${cluster} has the rights ${JSON.stringify(role["rules"])}`);
        const nodes = numberAt(object, "status", "nodes", "total");
        const wanted = intent.nodes.get(firstNameOf(cluster)) ?? 0;
        const report = mirror.get(`/rollcall.dev/clusterreports/fleet/${cluster}`);
        const reported = [numberAt(report, "spec", "nodes", "total"), textAt(report, "spec", "agentVersion")];
        if (!isJsonEqual(reported, [wanted, agentVersion]))
          violate(name, `${cluster} has ${wanted} nodes, and its report says ${JSON.stringify(reported)}`);
        if (nodes !== wanted) violate(name, `${cluster} has ${wanted} nodes, and its status says ${nodes}`);
      }
    },
  };
}
