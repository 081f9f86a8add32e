import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { knownDataFormat } from "../../../src/install/check-hub.ts";
import { raiseDataFormat } from "../../../src/install/raise-data-format.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";

describe("raiseDataFormat", () => {
  it("marks every definition once", async () => {
    const { api, writes } = createSimulatedHub(crds, () => 0);
    const { signal } = new AbortController();
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
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
});
