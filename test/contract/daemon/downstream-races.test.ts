import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { installDownstream, uninstallAgent } from "../../../src/hub/members/downstream.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import type { InstalledHub } from "../../support/installed-hub.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";
import { hubFacts, memberOf } from "../../unit/join/hub-scene.ts";

const { signal } = new AbortController();
const ours = { "app.kubernetes.io/managed-by": "rollcall" };

describe("what another team of a member does while the agent is installed or removed there", () => {
  let downstream: InstalledHub | undefined;
  let api: KubeApi;

  beforeAll(async () => {
    downstream = await startInstalledHub("team");
    api = downstream.api;
  });
  afterAll(async () => {
    await downstream?.stop();
  });

  const make = (name: string, labels: Record<string, string>): Promise<KubeObject> => {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    return api.create(object, { fieldManager: "somebody" });
  };
  const labelsOf = async (ref: ObjectRef): Promise<unknown> => (await api.get(ref))?.metadata.labels;
  const installIn = (namespace: string, onBegin: () => Promise<unknown>) =>
    installDownstream({ hubFacts, clock: realClock, log: silentLog }, rollcallProtocol, {
      member: memberOf("eu-1", { spec: { agent: { namespace } } }),
      downstreamApi: api,
      kubeconfigDigest: "d",
      bootstrap: { number: 1, values: {} },
      onBegin: async () => void (await onBegin()),
      signal,
    });

  it("A264 keeps a namespace that appears before the agent's is made from being deleted with the agent", async () => {
    const ref = { type: resourceTypes.namespace, name: "made-meanwhile" };
    await expect(installIn(ref.name, () => make(ref.name, { team: "a" }))).rejects.toMatchObject({
      code: "E_KUBE_CONFLICT",
    });
    expect(await labelsOf(ref)).not.toMatchObject(ours);
    expect(await installIn(ref.name, () => Promise.resolve())).toMatchObject({ namespace: ref.name });
    expect(await labelsOf(ref)).not.toMatchObject(ours);
  });

  it("A264 keeps a namespace that a team takes over while the agent is removed", async () => {
    const ref = { type: resourceTypes.namespace, name: "taken-over" };
    await make(ref.name, ours);
    const takeOver = { metadata: { labels: { "app.kubernetes.io/managed-by": "team-a" } } };
    const get: KubeApi["get"] = async (...request) => {
      const seen = await api.get(...request);
      await api.mergePatch(ref, takeOver, { fieldManager: "somebody" });
      return seen;
    };
    await expect(uninstallAgent({ ...api, get }, [ref], signal)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
    expect((await api.get(ref))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
