import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareVerdicts, define, installedDefinitions } from "../../support/api-verdicts.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

describe("600 mutated documents beside the embedded hub", () => {
  let hub: HubUnderTest;

  beforeAll(async () => {
    hub = await embeddedHub();
    await define(hub.kubeconfig, installedDefinitions);
  });
  afterAll(() => hub.stop());

  it("never pass the checks of files where the hub refuses them", async () => {
    const results = await compareVerdicts(hub.kubeconfig, { count: 600, seed: 1 });
    expect(results.refusedByApiOnly).toEqual([]);
    expect(results.acceptedByBoth).toBeGreaterThan(30);
    expect(results.refusedByBoth).toBeGreaterThan(200);
  });
});
