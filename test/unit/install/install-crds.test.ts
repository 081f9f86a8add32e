import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { checkDefinitions } from "../../../src/install/check-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

describe("installCrds on a hub that a newer version has used", () => {
  const name = "clusters.rollcall.dev";
  const ref = { type: resourceTypes.customResourceDefinition, name };
  const { signal } = new AbortController();
  let hub: HubUnderTest;
  let api: KubeApi;

  beforeAll(async () => {
    hub = await embeddedHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    await installCrds(api, signal);
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
  });

  it("takes no field away that a newer definition has, and adds those that an older one lacks", async () => {
    const changed = (from: string, to: (text: string) => string) => {
      const ours = crds.find(({ metadata }) => metadata.name === name);
      return JSON.parse(JSON.stringify(ours).replaceAll(from, to)) as KubeObject;
    };
    const newer = changed('"deletionProtection":', (text) => `"later":{"type":"string"},${text}`);
    const written = await api.apply(newer, { fieldManager: "rollcall-hub" });
    await installCrds(api, signal);
    expect((await api.get(ref))?.metadata.resourceVersion).toBe(written.metadata.resourceVersion);

    const older = changed('"deletionProtection":', () => '"former":');
    await api.apply(older, { fieldManager: "rollcall-hub" });
    await installCrds(api, signal);
    expect(JSON.stringify(await api.get(ref))).toContain('"deletionProtection"');
  });

  it("deletes no value of a field that it does not know, when the definition lacks one of ours", async () => {
    const ours = crds.find((crd) => crd.metadata.name === name);
    const other = JSON.stringify(ours).replaceAll('"deletionProtection":', '"former":');
    await api.apply(JSON.parse(other) as KubeObject, { fieldManager: "rollcall-hub" });
    const apiVersion = "rollcall.dev/v1alpha1";
    const kept = {
      apiVersion,
      kind: "Cluster",
      metadata: { name: "kept", namespace: "default" },
      spec: { former: true },
    };
    await api.create(kept, { fieldManager: "test" });
    await installCrds(api, signal);
    const found = await api.get({ type: resourceTypes.cluster, namespace: "default", name: "kept" });
    expect(found).toMatchObject({ spec: { former: true } });
    expect(JSON.stringify(await api.get(ref))).toContain('"deletionProtection"');
    const version = (await api.get(ref))?.metadata.resourceVersion;
    await installCrds(api, signal);
    expect((await api.get(ref))?.metadata.resourceVersion).toBe(version);
  });

  it("refuses data of a newer format in one sentence, and writes nothing", async () => {
    const annotations = { "rollcall.dev/data-format": "3" };
    const written = await api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
    const message = `read what is on the hub ${api.server}: it has format 3, this program reads 2`;
    for (const refused of [installCrds(api, signal), checkDefinitions(api, signal)])
      await expect(refused).rejects.toMatchObject({ code: "E_STORE_VERSION", message });
    expect((await api.get(ref))?.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });
});
