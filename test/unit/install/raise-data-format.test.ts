import { describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { knownDataFormat } from "../../../src/install/check-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import { raiseDataFormat } from "../../../src/install/raise-data-format.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

const manager = { fieldManager: "test" };

describe("raiseDataFormat", () => {
  it("marks every definition once", async () => {
    const { api, writes } = createSimulatedHub(crds, () => 0);
    const { signal } = new AbortController();
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
  });

  it("names a definition that is not on the hub", async () => {
    const { api } = createSimulatedHub(crds.slice(1), () => 0);
    const raising = raiseDataFormat(api, new AbortController().signal);
    const message = expect.stringContaining(crds[0]?.metadata.name ?? "") as string;
    await expect(raising).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND", message });
  });

  it("writes nothing on a hub that a newer version marked: others would take its data for their own", async () => {
    const newer = crds.map((crd, index) => {
      const annotations = { ...crd.metadata.annotations, [annotationKeys.dataFormat]: String(knownDataFormat + 1) };
      return index === 0 ? crd : { ...crd, metadata: { ...crd.metadata, annotations } };
    });
    const { api, writes } = createSimulatedHub(newer, () => 0);
    const { signal } = new AbortController();
    await expect(raiseDataFormat(api, signal)).rejects.toMatchObject({ code: "E_STORE_VERSION" });
    expect(writes).toEqual([]);
  });

  it("lowers no mark that a newer version makes in the same moment", async () => {
    const hub = await embeddedHub();
    const api = apiOf(readKubeconfig(hub.kubeconfig));
    const { signal } = new AbortController();
    const [first] = crds;
    const ref = { type: resourceTypes.customResourceDefinition, name: first?.metadata.name ?? "" };
    const markOf = async () => (await api.get(ref))?.metadata.annotations?.[annotationKeys.dataFormat];
    const racingWith = (mark: number): KubeApi => {
      let isMarked = false;
      return {
        ...api,
        mergePatch: async (patched, patch, options) => {
          if (!isMarked && patched.name === ref.name) {
            isMarked = true;
            const metadata = { annotations: { [annotationKeys.dataFormat]: String(mark) } };
            await api.mergePatch(ref, { metadata }, options);
          }
          return api.mergePatch(patched, patch, options);
        },
      };
    };
    try {
      await installCrds(api, signal);
      await raiseDataFormat(racingWith(knownDataFormat), signal);
      expect(await markOf()).toBe(String(knownDataFormat));
      await api.mergePatch(ref, { metadata: { annotations: { [annotationKeys.dataFormat]: null } } }, manager);
      const raising = raiseDataFormat(racingWith(knownDataFormat + 1), signal);
      await expect(raising).rejects.toMatchObject({ code: "E_STORE_VERSION" });
      expect(await markOf()).toBe(String(knownDataFormat + 1));
    } finally {
      await api.close();
      await hub.stop();
    }
  });
});
