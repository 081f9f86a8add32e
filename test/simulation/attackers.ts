import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { ObjectRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import type { AgentValues } from "../../src/join/rollcall/agent-values.ts";
import { makeIdentity } from "../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRegistration } from "../../src/join/rollcall/downstream/registration.ts";
import { valuesFor } from "./begin.ts";
import { workspace } from "./daemon-process.ts";
import { attackByDoor } from "./foreign/attack-by-door.ts";
import { foreignFactsOf } from "./foreign/foreign-facts.ts";
import { foreignOf } from "./foreign/foreign-names.ts";
import { firstNameOf } from "./first-name.ts";
import type { Intent } from "./intent.ts";
import { nameOnHub } from "./name-on-hub.ts";
import type { Member } from "./member-clusters.ts";
import type { World } from "./world.ts";

/**
 * One who holds the working credential of an agent tries to read and to write what is another cluster's, and what is the
 * workspace's. Each answer is seen by the invariants; here nothing is expected of them.
 */
export async function attackBy(world: World, thief: Member, victim: string): Promise<void> {
  const own = nameOnHub(world, thief);
  const token = world.lastCredentialOf(thief.agent)?.replace(/^Bearer /u, "");
  if (token === undefined) return;
  const transport = world.network.transport(world.people, world.hub, {});
  const api = createKubeApi({
    transport: { ...transport, getToken: () => Promise.resolve(token) },
    clock: realClock,
    random: realRandom,
  });
  const labels = { metadata: { labels: { stolen: "true" } } };
  const patch = (ref: ObjectRef) => api.mergePatch(ref, labels, { fieldManager: "rollcall-agent" });
  const of = (type: ObjectRef["type"], name: string): ObjectRef => ({ type, namespace: workspace, name });
  const tries: readonly (() => Promise<unknown>)[] = [
    () => patch(of(resourceTypes.clusterReport, victim)),
    () => patch(of(resourceTypes.lease, `rollcall-${victim}`)),
    () => patch(of(resourceTypes.cluster, victim)),
    () => patch(of(resourceTypes.cluster, own)),
    () => patch(of(resourceTypes.configMap, `rollcall-cluster-${own}`)),
    () => api.list(resourceTypes.secret, { namespace: workspace }),
    () => api.get(of(resourceTypes.clusterReport, victim)),
    () => api.delete(of(resourceTypes.clusterReport, victim)),
    () => api.delete(of(resourceTypes.cluster, victim)),
    ...[victim, own]
      .flatMap((name) => foreignFactsOf(name)?.deletableOf(name) ?? [])
      .flatMap((ref) => [() => api.get(ref), () => patch(ref), () => api.delete(ref)]),
  ];
  for (const attempt of tries) await attempt().catch((error: unknown) => world.story.tell("attacker", String(error)));
}

/**
 * One who holds the values of a token asks to join with keys of his own: as a cluster that has an agent, and as one that the
 * token does not name.
 */
export async function attackByToken(
  { world, intent }: { readonly world: World; readonly intent: Intent },
  victim: string,
) {
  if (foreignOf(victim) !== undefined) return attackByDoor({ world, intent }, victim);
  for (const name of [victim, "intruder"]) {
    const values = JSON.parse(await valuesFor(world, name)) as AgentValues;
    const identity = makeIdentity(values, `client-${firstNameOf(name)}`, world.scheduler.random.bytes(64));
    const request = makeRegistration(identity, { ...values, cluster: { name } }, "0.1.0");
    intent.forged.set(request.metadata.name, name);
    const transport = world.network.transport(world.people, world.hub, {});
    const getToken = () => Promise.resolve(values.token.credential);
    const api = createKubeApi({ transport: { ...transport, getToken }, clock: realClock, random: realRandom });
    await api.create(request, { fieldManager: "rollcall-agent" });
  }
}
