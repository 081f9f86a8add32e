import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { twoHubs } from "../support/two-hubs.ts";
import { until } from "../support/until.ts";

const clients = twoHubs();
const name = `kept-${randomUUID().slice(0, 8)}`;
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const configMaps = `/api/v1/namespaces/${name}/configmaps`;
const namespace = `/api/v1/namespaces/${name}`;

const policy = {
  metadata: { name },
  spec: {
    matchConstraints: {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] }],
    },
    validations: [{ expression: "oldObject.metadata.name != 'kept'", message: "it is to stay" }],
  },
};

it("a namespace whose content may not be deleted reports that in its conditions", async () => {
  const conditions: JsonObject[][] = [];
  for (const client of clients) {
    const post = (path: string, body: object) => client.send({ method: "POST", path, body });
    await post("/api/v1/namespaces", { metadata: { name } });
    await post(configMaps, { metadata: { name: "kept" } });
    await post(configMaps, { metadata: { name: "other" } });
    await post(policies, policy);
    await post(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } });
    const isRefused = () => client.send({ method: "DELETE", path: `${configMaps}/kept?dryRun=All` });
    await until(isRefused, ({ code }) => code === 422);
    await client.send({ method: "DELETE", path: namespace });
    const found = await until(
      async () => objectsAt((await client.send({ method: "GET", path: namespace })).body, "status", "conditions"),
      (all) => all.some((one) => textAt(one, "reason") === "ContentDeletionFailed"),
    );
    conditions.push(found.map(({ lastTransitionTime: _, ...one }) => one));
    await client.send({ method: "DELETE", path: `${bindings}/${name}` });
    await client.send({ method: "DELETE", path: `${policies}/${name}` });
    await until(
      () => client.send({ method: "GET", path: namespace }),
      ({ code }) => code === 404,
    );
  }
  // A client of kube-apiserver finds no name in this refusal.
  const named = conditions.map((all) => JSON.stringify(all).replace('\\"Unknown\\"', '\\"kept\\"'));
  expect(named[0]).toEqual(named[1]);
});
