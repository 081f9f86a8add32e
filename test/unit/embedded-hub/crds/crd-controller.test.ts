import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { objectsAt, textAt } from "../../../../src/core/read-json.ts";
import { startCrdController } from "../../../../src/embedded-hub/crds/crd-controller.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { realRandom } from "../../../support/real-time.ts";
import { until } from "../../../support/until.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

const context = { ...contextOf(administrator), isUntracked: true };

function crdOf(plural: string, kind: string, more: JsonObject = {}, metadata: object = {}): KubeObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { name: "v1", served: true, storage: true, schema };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.example.org`, ...metadata },
    spec: {
      ...{ group: "example.org", scope: "Cluster", names: { plural, kind }, versions: [{ ...version, ...more }] },
    },
  };
}

async function startHub(before: readonly KubeObject[] = []) {
  const hub = await startMemoryHub();
  const { operations, clock } = hub;
  const crds = { definition: hub.definitionOf("apiextensions.k8s.io/v1", "CustomResourceDefinition") };
  for (const crd of before) await operations.create(context, crds, crd);
  const controller = startCrdController({ ...hub, random: realRandom, log: silentLog });
  onTestFinished(() => controller.stop());
  const get = (plural: string) => operations.get({ ...crds, name: `${plural}.example.org` });
  const conditionOf = (plural: string, type: string): string | undefined => {
    const found = objectsAt(get(plural), "status", "conditions").find((one) => one["type"] === type);
    return found && `${textAt(found, "status")} ${textAt(found, "reason")}`;
  };
  /** Waits for a condition; the clock runs meanwhile. */
  const reach = (plural: string, type: string, expected: string | undefined) =>
    until(
      async () => {
        await clock.advance(100);
        return conditionOf(plural, type);
      },
      (found) => found === expected,
    );
  const target = (plural: string) => ({ ...crds, name: `${plural}.example.org` });
  return {
    ...{ ...hub, get, conditionOf, reach, target },
    create: (crd: KubeObject) => operations.create(context, crds, crd),
    remove: (plural: string) => operations.delete(context, target(plural), {}),
    patch: (plural: string, patch: JsonObject) => operations.patch(context, target(plural), { kind: "merge", patch }),
    isServed: (plural: string) => operations.definitionOf("example.org", plural) !== undefined,
  };
}

describe("a definition", () => {
  it("is served with its first condition, also when it was there before the hub", async () => {
    const { create, reach, isServed, operations, patch } = await startHub([crdOf("ants", "Ant")]);
    await reach("ants", "Established", "True InitialNamesAccepted");
    await create(crdOf("bees", "Bee"));
    await reach("bees", "Established", "True InitialNamesAccepted");
    expect([isServed("ants"), isServed("bees")]).toEqual([true, true]);
    const served = operations.definitionOf("example.org", "bees");
    await patch("bees", { metadata: { labels: { a: "b" } } });
    expect(operations.definitionOf("example.org", "bees")).toBe(served);
    await patch("bees", { spec: { names: { shortNames: ["b"] } } });
    await until(
      () => Promise.resolve(operations.definitionOf("example.org", "bees")?.shortNames),
      (names) => names?.[0] === "b",
    );
  });

  it("waits for names that another one has, and gets them when that one is deleted", async () => {
    const { create, reach, isServed, remove, get } = await startHub();
    await create(crdOf("ants", "Ant"));
    await reach("ants", "Established", "True InitialNamesAccepted");
    await create(crdOf("bees", "Ant"));
    await reach("bees", "NamesAccepted", "False ListKindConflict");
    expect([isServed("bees"), get("bees")?.["status"]]).toMatchObject([false, { acceptedNames: { plural: "bees" } }]);
    await remove("ants");
    await reach("bees", "Established", "True InitialNamesAccepted");
    expect([isServed("ants"), isServed("bees"), get("ants")]).toEqual([false, true, undefined]);
  });

  it("is deleted after its objects, of which finalizers hold some", async () => {
    const { create, reach, remove, operations, conditionOf, isServed, get, clock } = await startHub();
    await create(crdOf("ants", "Ant"));
    await reach("ants", "Established", "True InitialNamesAccepted");
    const definition = operations.definitionOf("example.org", "ants");
    if (definition === undefined) throw new Error("ants are not served");
    const replaced: string[] = [];
    operations.whenReplaced(definition, () => replaced.push("replaced"));
    const ant = (name: string, metadata = {}) => ({
      apiVersion: "example.org/v1",
      kind: "Ant",
      metadata: { name, ...metadata },
    });
    await operations.create(context, { definition }, ant("free"));
    await operations.create(context, { definition }, ant("held", { finalizers: ["example.org/f"] }));
    await remove("ants");
    await reach("ants", "Terminating", "True InstanceDeletionInProgress");
    const namesLeft = () => operations.list({ definition }).items.map(({ metadata }) => metadata.name);
    await until(
      () => Promise.resolve(namesLeft()),
      (names) => names.length === 1,
    );
    expect([namesLeft(), isServed("ants"), replaced]).toEqual([["held"], true, []]);
    expect(operations.definitionOf("example.org", "ants")?.isTerminating).toBe(true);
    const patch = { kind: "merge", patch: { metadata: { finalizers: null } } } as const;
    await operations.patch(context, { definition, name: "held" }, patch);
    await until(
      async () => {
        await clock.advance(250);
        return get("ants");
      },
      (crd) => crd === undefined,
    );
    expect([isServed("ants"), conditionOf("ants", "Terminating"), replaced]).toEqual([false, undefined, ["replaced"]]);
  });

  it("of a group of Kubernetes has a condition for its approval", async () => {
    const { operations, definitionOf, clock } = await startHub();
    const definition = definitionOf("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const crd = crdOf("ants", "Ant");
    const metadata = {
      name: "ants.x.k8s.io",
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" },
    };
    await operations.create(
      context,
      { definition },
      { ...crd, metadata, spec: { ...(crd["spec"] as object), group: "x.k8s.io" } },
    );
    const approvalOf = async () => {
      await clock.advance(100);
      const status = operations.get({ definition, name: metadata.name });
      const found = objectsAt(status, "status", "conditions").find(
        ({ type }) => type === "KubernetesAPIApprovalPolicyConformant",
      );
      return found && `${textAt(found, "status")} ${textAt(found, "reason")}`;
    };
    await until(approvalOf, (found) => found === "True ApprovedAnnotation");
    const patch = { metadata: { annotations: { "api-approved.kubernetes.io": "unapproved, a test" } } };
    await operations.patch(context, { definition, name: metadata.name }, { kind: "merge", patch });
    await until(approvalOf, (found) => found === "False UnapprovedAnnotation");
  });
});
