import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { dryRunChanges } from "../../../src/daemon/dry-run-changes.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";

const { signal } = new AbortController();
const fieldManager = "test";

function creationOf(name: string): PlannedChange {
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace: "fleet" } };
  return {
    kind: "create",
    ref,
    object,
    manager: "rollcall-git",
    fields: [],
    source: { file: `${name}.yaml`, line: 3, column: 1 },
  } as unknown as PlannedChange;
}

/** Refuses Clusters whose name begins with `bad`, with the status that quotas and many webhooks have, 403. */
const policy: readonly KubeObject[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "no-bad-names" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["rollcall.dev"], apiVersions: ["*"], operations: ["CREATE"], resources: ["clusters"] },
        ],
      },
      validations: [
        { expression: "!object.metadata.name.startsWith('bad')", message: "a bad name", reason: "Forbidden" },
      ],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "no-bad-names" },
    spec: { policyName: "no-bad-names", validationActions: ["Deny"] },
  },
];

describe("the dry run of a plan on a hub whose rules refuse with 403", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  beforeAll(async () => {
    hub = await readyHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } }, { fieldManager });
    for (const object of policy) await api.create(object, { fieldManager });
    const probe = creationOf("bad-probe");
    if (probe.kind !== "create") throw new Error("no creation");
    await until(
      () =>
        api.apply(probe.object, { fieldManager, isDryRun: true }).then(
          () => false,
          () => true,
        ),
      (isRefused) => isRefused,
    );
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
  });

  it("shows each refusal at its file, and checks the objects behind it", async () => {
    const changes = ["bad-a", "good", "bad-b"].map(creationOf);
    const { problems, notes, isEvaluated } = await dryRunChanges(changes, api, signal);
    expect(problems.map(({ file, code }) => `${file} ${code}`).sort()).toEqual([
      "bad-a.yaml E_KUBE_FORBIDDEN",
      "bad-b.yaml E_KUBE_FORBIDDEN",
    ]);
    expect(problems[0]?.message).toContain("a bad name");
    expect([notes, isEvaluated]).toEqual([[], true]);
  });
});
