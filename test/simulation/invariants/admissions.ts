import { isJsonEqual } from "../../../src/core/json.ts";
import { parseJson } from "../../../src/core/parse-json.ts";
import { numberAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import { firstNameOf } from "../first-name.ts";
import { declaredAt, headOf } from "../fleet-files.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { foreignOf } from "../foreign/foreign-names.ts";
import { admittedBy } from "../foreign/admitted.ts";
import { subjectOf } from "../subject-of.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";

const requestPrefix = "/rollcall.dev/clusterregistrations/fleet/";
const statePrefix = "//configmaps/fleet/rollcall-cluster-";
const ofEvents = /^\/\/?(?:events\.k8s\.io\/)?events\//u;
const withOwner = /^\/(?!\/events\/|events\.k8s\.io\/)[^/]*\/[^/]+\/fleet\//u;

/**
 * Who is a member: an agent stays the only one of its cluster, a leaked token lets in no one else, and at rest each member has
 * one credential, which it uses, and nothing is left of a removed cluster.
 */
export function membersKeepTheirAgents({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "a cluster keeps its agent, and each agent has one credential that is valid";
  /** Clusters of the hub with agents of other projects, with those that are deleted. */
  const foreignClusters = new Set<string>();
  /** Clusters that left, by their first names. Of one that is declared anew, anyone with a token that names it may be the first agent. */
  const removed = new Set<string>();
  const isForbidden = (request: string): boolean => {
    const asked = intent.forged.get(request);
    return asked !== undefined && !removed.has(firstNameOf(asked));
  };
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (key.startsWith(requestPrefix)) {
        const isGranted = textAt(after, "status", "decision") === "Granted";
        if (isGranted && isForbidden(key.slice(requestPrefix.length)))
          violate(name, `a request by a leaked token is granted: ${textAt(after, "spec", "clusterName") ?? key}`);
        return;
      }
      const cluster = key.startsWith(clusterPrefix) ? key.slice(clusterPrefix.length) : "";
      if (foreignOf(cluster) !== undefined) foreignClusters.add(cluster);
      const admitted = admittedBy(key, after) ?? agentInState(key, after);
      if (admitted !== undefined && isForbidden(admitted))
        violate(name, `a request by a leaked token is granted: ${admitted}`);
      const isLeaving = before?.metadata.annotations?.["rollcall.dev/leave"] !== undefined;
      if (cluster !== "" && after === undefined && isLeaving) removed.add(firstNameOf(cluster));
      if (!key.startsWith(clusterPrefix) || before?.metadata.uid !== after?.metadata.uid) return;
      const [was, is] = [before, after].map((cluster) => valueAt(cluster, "status", "identity", "keys"));
      const isRebuilt = intent.rebuilt.has(firstNameOf(cluster));
      if (was !== undefined && is !== undefined && !isJsonEqual(was, is) && !isRebuilt)
        violate(name, `${key.slice(clusterPrefix.length)} has other keys: ${JSON.stringify([was, is])}`);
    },
    atRest: () => {
      const clusters = mirror.below(clusterPrefix);
      for (const [key, { metadata }] of mirror.below("/")) {
        const owner = metadata.labels?.["rollcall.dev/cluster"];
        if (owner === undefined || clusters.has(owner)) continue;
        if (withOwner.test(key) || (foreignOf(owner) !== undefined && !ofEvents.test(key)))
          violate(name, `${key} is left of ${owner}`);
      }
      for (const cluster of foreignClusters) {
        const home = foreignFactsOf(cluster)?.homeOf(cluster) ?? "";
        const known = foreignFactsOf(cluster)?.objectsOf(cluster) ?? [];
        if (!clusters.has(cluster))
          for (const key of known) {
            const object = mirror.get(key);
            // Who was removed may ask again: the refusal stays for a while.
            const isRefused = textAt(object, "status", "result") === "Denied";
            if (object !== undefined && !isRefused) violate(name, `${key} is left of ${cluster}`);
          }
        const left = [...mirror.below("/").keys()].filter(
          (key) => key.split("/").includes(home) && !ofEvents.test(key),
        );
        if (!clusters.has(cluster) && left.length > 0) violate(name, `${left.join(", ")}: left of ${cluster}`);
      }
      for (const [cluster, { isBroken }] of declaredAt(world, headOf(world)))
        if (!isBroken && mayWork({ world, mirror, intent }, cluster) && clusters.has(cluster)) checkCredential(cluster);
    },
  };

  /** The one account of an agent of another project is that by which it works. */
  function checkForeignCredential(cluster: string): void {
    const agent = world.members.get(cluster)?.agent;
    const accounts = [...mirror.below("//serviceaccounts/fleet/")]
      .filter(([, { metadata }]) => metadata.labels?.["rollcall.dev/cluster"] === cluster)
      .map(([account]) => `system:serviceaccount:fleet:${account}`);
    const used = agent && subjectOf(world.lastCredentialOf(agent));
    if (accounts.join() !== used) violate(name, `${cluster} works as ${used}, and has the accounts ${accounts.join()}`);
  }

  function checkCredential(cluster: string): void {
    if (foreignOf(cluster) !== undefined) return checkForeignCredential(cluster);
    const live = mirror.get(`${clusterPrefix}${cluster}`);
    const number = numberAt(live, "status", "credential", "number");
    const report = mirror.get(`/rollcall.dev/clusterreports/fleet/${cluster}`);
    if (numberAt(report, "spec", "credentialNumber") !== number)
      violate(name, `${cluster} uses credential ${numberAt(report, "spec", "credentialNumber")}, not ${number}`);
    const expires = textAt(live, "status", "credential", "expires") ?? "";
    if (!(Date.parse(expires) > world.scheduler.wallMs(undefined)))
      violate(name, `${cluster} should be joined, and its credential ended ${expires}`);
    const account = mirror.get(`//serviceaccounts/fleet/rollcall-${cluster}`)?.metadata.uid;
    const secrets = [...mirror.below(`//secrets/fleet/rollcall-${cluster}.`)].filter(([rest]) => /^\d+$/u.test(rest));
    const uids = secrets.map(([, { metadata }]) => metadata.annotations?.["rollcall.dev/account-uid"]);
    if (secrets.map(([rest]) => rest).join() !== String(number) || uids[0] !== account)
      violate(
        name,
        `${cluster} has credential ${number} of the account ${account}, and the Secrets ${secrets.map(([rest]) => rest).join()} of ${uids.join()}`,
      );
  }
}

/** The id of the agent that the hub takes for a cluster's. */
function agentInState(key: string, state: KubeObject | undefined): string | undefined {
  if (!key.startsWith(statePrefix)) return undefined;
  return textAt(parseJson(textAt(state, "data", "memory") ?? "{}"), "clientID");
}
