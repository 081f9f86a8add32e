import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const { signal } = new AbortController();
const partOf = { "app.kubernetes.io/part-of": "rollcall" };
const ref = { type: resourceTypes.configMap, namespace: "fleet", name: "one" };

function configMap(color: string, labels: Record<string, string>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: ref.namespace, name: ref.name, labels },
    data: { color },
  };
}

describe("an installation on a hub where an object of the name is there", () => {
  it.each<{ what: string; labels: Record<string, string> | undefined; color: string }>([
    { what: "is not", labels: undefined, color: "ours" },
    { what: "another program made", labels: { "app.kubernetes.io/part-of": "argocd" }, color: "theirs" },
    { what: "has no claim", labels: {}, color: "theirs" },
    { what: "an earlier version made", labels: partOf, color: "ours" },
  ])("leaves it $color where it $what", async ({ labels, color }) => {
    const { api } = createSimulatedHub(crds, () => 0);
    const writing = { fieldManager: "rollcall-hub" };
    if (labels !== undefined) await api.apply(configMap("theirs", labels), writing);
    await installObjects(api, [configMap("ours", partOf)], signal);
    expect(await api.get(ref)).toMatchObject({ data: { color } });
    // A restart, perhaps without the right to write what the chart has made.
    const apply = () => Promise.reject(new Error("written again"));
    await installObjects({ ...api, apply }, [configMap("ours", partOf)], signal);
  });
});
