import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { raiseDataFormat } from "../../../src/install/raise-data-format.ts";
import { crds } from "../../../src/model/generated/crds.ts";

describe("raiseDataFormat", () => {
  it("marks every definition once", async () => {
    const { api, writes } = createSimulatedHub(crds, () => 0);
    const { signal } = new AbortController();
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
    await raiseDataFormat(api, signal);
    expect(writes).toHaveLength(crds.length);
  });
});
