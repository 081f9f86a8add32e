import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executeChanges } from "../../../src/hub/execute-changes.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { InstalledHub } from "../../support/installed-hub.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";
import { declared, fleetOf, live, plan } from "../../unit/planning/plan-builders.ts";

const { cluster, namespace } = resourceTypes;

describe("a change that was planned", () => {
  let hub: InstalledHub | undefined;
  let api: KubeApi;

  beforeAll(async () => {
    hub = await startInstalledHub("prod");
    api = hub.api;
    expect(await api.get({ type: namespace, name: "prod" })).toBeDefined();
  });
  afterAll(async () => {
    await hub?.stop();
  });

  it.each([
    {
      reason: "was revoked",
      name: "revoked",
      leave: undefined,
      meanwhile: { metadata: { annotations: { [annotationKeys.revoked]: "-/who/2026-01-01T00:00:00Z" } } },
    },
    {
      reason: "was suspended",
      name: "suspended",
      leave: undefined,
      meanwhile: { metadata: { annotations: { [annotationKeys.reconcile]: "disabled" } } },
    },
    {
      reason: "lost its agent to the leave that it is called back from",
      name: "leaving",
      leave: "c0",
      meanwhile: { status: { leave: { phase: "Revoking" } } },
    },
  ])("that is a rename is not begun when the former cluster $reason since", async ({ name, leave, meanwhile }) => {
    const ref = { type: cluster, namespace: "prod", name };
    const successor = { ...ref, name: `${name}-successor` };
    const seen = await declareOnHub(name, leave === undefined ? {} : { [annotationKeys.leave]: leave });
    const { changes } = plan(fleetOf(declared(successor.name, { previousName: name })), [seen]);
    expect(changes).toMatchObject([{ kind: "create", former: { ref } }]);
    const subresource = "status" in meanwhile ? ({ subresource: "status" } as const) : {};
    await api.mergePatch(ref, meanwhile, { fieldManager: "somebody", ...subresource });

    const outcomes = await execute(changes);
    expect(outcomes.map(({ error }) => error?.code)).toEqual(["E_KUBE_CONFLICT"]);
    expect(await api.get(successor)).toBeUndefined();
    expect((await api.get(ref))?.metadata.annotations).not.toHaveProperty([annotationKeys.movedTo]);
    // The next plan checks again, and refuses.
    const again = plan(fleetOf(declared(successor.name, { previousName: name })), [(await api.get(ref)) ?? seen]);
    expect(again.changes).toEqual([]);
    expect(again.problems).toMatchObject([{ code: "E_REFERENCE", severity: "error" }]);
  });

  it("that is a rename is carried out when nothing happened to the former cluster", async () => {
    const seen = await declareOnHub("quiet", {});
    const { changes } = plan(fleetOf(declared("quiet-successor", { previousName: "quiet" })), [seen]);
    expect((await execute(changes)).map(({ error }) => error)).toEqual([undefined]);
    const marked = await api.get({ type: cluster, namespace: "prod", name: "quiet" });
    expect(marked?.metadata.annotations?.[annotationKeys.movedTo]).toBe("prod/quiet-successor");
  });

  const revokedBy = (who: string): Record<string, string> => ({
    [annotationKeys.revoked]: `-/${who}/2026-01-01T00:00:00Z`,
  });

  it("A265 that ends a revocation, or records its file, does not end another one that came since", async () => {
    for (const [index, outranked] of [`${"0".repeat(40)}/alice/2026-01-01T00:00:00Z`, "-/alice/time"].entries()) {
      const name = `revoked-again-${index}`;
      const ref = { type: cluster, namespace: "prod", name };
      const seen = await declareOnHub(name, { [annotationKeys.revoked]: outranked });
      const { changes } = plan(fleetOf(declared(name)), [seen]);
      expect(changes).toMatchObject([{ kind: "update", patchAnnotations: {} }]);
      await api.mergePatch(ref, { metadata: { annotations: revokedBy("bob") } }, { fieldManager: "somebody" });
      expect((await execute(changes)).map(({ error }) => error?.code)).toEqual(["E_KUBE_CONFLICT"]);
      expect((await api.get(ref))?.metadata.annotations).toMatchObject(revokedBy("bob"));
    }
  });

  function execute(changes: Parameters<typeof executeChanges>[0]): ReturnType<typeof executeChanges> {
    const known = { get: () => undefined, listsAll: () => true };
    const view = { known, recordWritten: () => undefined, recordDeleted: () => undefined };
    return executeChanges(changes, { hubApi: api, ...view });
  }

  async function declareOnHub(name: string, annotations: Readonly<Record<string, string>>): Promise<KubeObject> {
    const { apiVersion, kind, metadata } = live(name);
    const { namespace: workspace = "", labels = {} } = metadata;
    const object = { apiVersion, kind, metadata: { name, namespace: workspace, labels, annotations } };
    return api.apply(object, { fieldManager: "rollcall-git" });
  }
});
