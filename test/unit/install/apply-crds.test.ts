import { describe, expect, it } from "vitest";
import { applyCrds, installCrds } from "../../../src/install/install-crds.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { onlyNew } from "../../../src/model/as-found.ts";

const { signal } = new AbortController();
const [definition] = crds;
const { name = "" } = definition?.metadata ?? {};
const ours = definition as KubeObject;
const established = { conditions: [{ type: "Established", status: "True" }] };
const served = (crd: KubeObject): KubeObject => ({ ...crd, status: established });
const labelled = (crd: KubeObject, labels: object | undefined): KubeObject =>
  ({ ...crd, metadata: { ...crd.metadata, labels } }) as KubeObject;

/** A hub that has this definition, or none; the status of what was written, one read after the other. */
function hubWith(live: KubeObject | undefined, statuses: readonly unknown[] = [established]) {
  const applied: KubeObject[] = [];
  let reads = 0;
  const hubApi = {
    server: "https://hub:6443",
    get: async ({ name: asked }: ObjectRef) => {
      if (applied.length === 0) return live?.metadata.name === asked ? live : undefined;
      reads += 1;
      return { ...applied.at(-1), status: statuses[Math.min(reads, statuses.length) - 1] };
    },
    apply: async (object: KubeObject) => {
      applied.push(object);
      return object;
    },
  } as unknown as KubeApi;
  return { hubApi, applied, reads: () => reads };
}

const apply = (hubApi: KubeApi, crd = ours, isForeignKept = false) =>
  applyCrds(hubApi, [crd], { isForeignKept, signal });

describe("applyCrds", () => {
  it("makes a definition that is missing, and leaves one as it is that is as wanted", async () => {
    const empty = hubWith(undefined);
    await apply(empty.hubApi);
    expect(empty.applied).toEqual([onlyNew(ours)]);
    const same = hubWith(served(ours));
    await apply(same.hubApi);
    expect(same.applied).toEqual([]);
  });

  it("takes nothing away that a newer version put beside the fields, such as a column", async () => {
    const column = '"additionalPrinterColumns":[';
    const field = '"deletionProtection":';
    const newer = JSON.stringify(served(ours))
      .replace(column, `${column}{"name":"Later","type":"string","jsonPath":".spec.later"},`)
      .replaceAll(field, `"later":{"type":"string"},${field}`);
    expect(newer).toMatch(/"Later".*"later"/u);
    const { hubApi, applied } = hubWith(JSON.parse(newer) as KubeObject);
    await apply(hubApi);
    expect(applied).toEqual([]);
  });

  it("waits until a definition is served", async () => {
    const statuses = [
      undefined,
      null,
      {},
      { conditions: "text" },
      { conditions: [{ type: "Established", status: "False" }] },
      { conditions: [{ type: "NamesAccepted", status: "True" }] },
      established,
    ];
    const { hubApi, reads } = hubWith(undefined, statuses);
    await apply(hubApi);
    expect(reads()).toBe(statuses.length);
  });

  it("ends its wait with the signal", async () => {
    const { hubApi } = hubWith(undefined, [undefined]);
    const stopping = new AbortController();
    const waiting = applyCrds(hubApi, [ours], { isForeignKept: false, signal: stopping.signal });
    setImmediate(() => stopping.abort());
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  });

  const foreign = [
    ["without labels", labelled(served(ours), undefined)],
    ["of another program", labelled(served(ours), { "app.kubernetes.io/part-of": "argocd" })],
  ] as const;

  it.each(foreign)("never changes a definition %s: it refuses it, or leaves it as it is", async (_, live) => {
    const refused = hubWith(live);
    await expect(apply(refused.hubApi)).rejects.toMatchObject({
      code: "E_KUBE_CONFLICT",
      message: `CustomResourceDefinition/${name} exists and was not made by Rollcall`,
    });
    const kept = hubWith({ ...live, status: {} });
    await apply(kept.hubApi, ours, true);
    expect([refused.applied, kept.applied]).toEqual([[], []]);
  });

  it("changes a definition that no program marks as its own, where ours is not marked either", async () => {
    const live = served(labelled({ ...ours, spec: { scope: "Cluster" } }, { some: "label" }));
    for (const labels of [undefined, {}]) {
      const { hubApi, applied } = hubWith(live);
      await apply(hubApi, labelled(ours, labels));
      expect(applied).toHaveLength(1);
    }
  });
});

describe("installCrds", () => {
  it("refuses definitions that another installer made, before it writes any", async () => {
    const { hubApi, applied } = hubWith(labelled(served(ours), {}));
    await expect(installCrds(hubApi, signal)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
    expect(applied.some(({ metadata }) => metadata.name === name)).toBe(false);
  });
});
