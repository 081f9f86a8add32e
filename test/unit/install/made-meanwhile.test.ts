import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { applyCrds } from "../../../src/install/install-crds.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { fleetCrds } from "../../../src/model/generated/fleet-crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

const { signal } = new AbortController();
const type = resourceTypes.customResourceDefinition;
const partOf = { "app.kubernetes.io/part-of": "rollcall" };

describe("A276 an installation on a hub where another program installs in the same moment", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  beforeAll(async () => {
    hub = await embeddedHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
  });

  /** The other program makes its object when it was found that there is none. */
  const racing = (theirs: KubeObject): KubeApi => ({
    ...api,
    get: async (ref, options) => {
      const found = await api.get(ref, options);
      if (found === undefined && ref.name === theirs.metadata.name)
        await api.create(theirs, { fieldManager: "another-program" });
      return found;
    },
  });

  const [first, second] = fleetCrds;
  it.each([
    ["keeps", true, first, undefined],
    ["refuses", false, second, "exists and was not made by Rollcall"],
  ] as const)("%s its definition as it is", async (_, isForeignKept, ours, refusal) => {
    if (ours === undefined) throw new Error("Fleet has no definitions");
    const { name } = ours.metadata;
    const theirs = { ...ours, metadata: { name, labels: { made: "there" } } };
    const applying = applyCrds(racing(theirs), [ours], { isForeignKept, signal });
    if (refusal === undefined) await applying;
    else await expect(applying).rejects.toThrow(refusal);
    const found = await api.get({ type, name });
    expect(found?.metadata.labels).toEqual({ made: "there" });
    expect(found?.metadata.managedFields?.map(({ manager }) => manager)).not.toContain("rollcall-hub");
  });

  it.each([
    ["keeps its object as it is", {}, { of: "another program" }],
    ["changes an object that another process of ours made", partOf, { of: "us" }],
  ])("%s", async (_, labels, data) => {
    const metadata = { name: `object-${Object.keys(labels).length}`, namespace: "default" };
    const theirs = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...metadata, labels },
      data: { of: "another program" },
    };
    const ours = { ...theirs, metadata: { ...metadata, labels: partOf }, data: { of: "us" } };
    await installObjects(racing(theirs), [ours], signal);
    const found = await api.get({ type: resourceTypes.configMap, ...metadata });
    expect(found?.["data"]).toEqual(data);
  });
});
