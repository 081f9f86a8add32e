import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { matchRequest } from "../../../../src/embedded-hub/admission/policy-match.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const definitions = builtInResources();
const definitionOf = (kind: string): ResourceDefinition => {
  const found = definitions.find((definition) => definition.kind === kind);
  if (found === undefined) throw new Error(`${kind} is not served`);
  return found;
};

const labelled = (kind: string, labels: Readonly<Record<string, string>>): KubeObject => {
  const { group, version } = definitionOf(kind);
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata: { name: "a", labels } };
};

function requestOf(kind: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const definition = definitionOf(kind);
  const place = definition.isNamespaced ? { namespace: "shop" } : {};
  const user = { username: "a", groups: [] };
  const rest = { isDryRun: false, options: {}, warnings: [], user };
  return { operation: "CREATE", definition, name: "a", ...place, ...rest, ...more };
}

const rule = (more: JsonObject = {}): JsonObject => ({
  apiGroups: ["*"],
  apiVersions: ["*"],
  operations: ["*"],
  resources: ["*/*"],
  ...more,
});
const rules = (more: JsonObject): JsonObject => ({ resourceRules: [rule(more)] });
const selecting = (selector: string, labels: JsonObject): JsonObject => ({
  ...rules({}),
  [selector]: { matchLabels: labels },
});

/** The Namespace `shop`, as it is stored. */
const shop = labelled("Namespace", { team: "stored" });
const parts = {
  read: ({ plural, name }: { readonly plural: string; readonly name: string }) =>
    plural === "namespaces" && name === "shop" ? shop : undefined,
  otherVersionsOf: (definition: ResourceDefinition) => [{ ...definition, version: "v9" }],
};
const isMatched = (resources: JsonObject, request: AdmissionRequest): boolean =>
  matchRequest(resources, request, parts) !== undefined;

const [old, now] = [labelled("ConfigMap", { is: "old" }), labelled("ConfigMap", { is: "now" })];
const change = requestOf("ConfigMap", { operation: "UPDATE", object: now, oldObject: old });
const namespaceWrite = (operation: AdmissionRequest["operation"], subresource?: string): AdmissionRequest =>
  requestOf("Namespace", {
    name: "shop",
    operation,
    ...(operation === "DELETE" ? {} : { object: labelled("Namespace", { team: "sent" }) }),
    ...(subresource === undefined ? {} : { subresource }),
  });

describe("a request", () => {
  it.each<readonly [string, boolean, JsonObject, AdmissionRequest]>([
    ["any rule", true, {}, change],
    ["a rule of its group, version, resource and operation", true, rules({ operations: ["UPDATE"] }), change],
    ["one of another operation", false, rules({ operations: ["CREATE", "DELETE"] }), change],
    ["one of another group", false, rules({ apiGroups: ["apps"] }), change],
    ["one of another version, by the same kind", true, rules({ apiVersions: ["v9"] }), change],
    ["the same, where versions are exact", false, { matchPolicy: "Exact", ...rules({ apiVersions: ["v9"] }) }, change],
    ["one of its name", true, rules({ resourceNames: ["b", "a"] }), change],
    ["one of another name", false, rules({ resourceNames: ["b"] }), change],
    ["an exclusion by another version", false, { excludeResourceRules: [rule({ apiVersions: ["v9"] })] }, change],
    [
      "the same, where versions are exact",
      true,
      { matchPolicy: "Exact", excludeResourceRules: [rule({ apiVersions: ["v9"] })] },
      change,
    ],
    ["resources without subresources", true, rules({ resources: ["configmaps"] }), change],
    ["subresources alone", false, rules({ resources: ["configmaps/status"] }), change],
    ["all subresources, and none", true, rules({ resources: ["*/*"] }), requestOf("Pod")],
    [
      "resources alone, of a subresource",
      false,
      rules({ resources: ["pods"] }),
      requestOf("Pod", { subresource: "eviction" }),
    ],
    ["its subresource", true, rules({ resources: ["pods/eviction"] }), requestOf("Pod", { subresource: "eviction" })],
    [
      "that of all resources",
      true,
      rules({ resources: ["*/eviction"] }),
      requestOf("Pod", { subresource: "eviction" }),
    ],
    ["another one", false, rules({ resources: ["pods/log"] }), requestOf("Pod", { subresource: "eviction" })],
    ["what is in namespaces", true, rules({ scope: "Namespaced" }), change],
    ["what is in no namespace", false, rules({ scope: "Cluster" }), change],
    ["what is in namespaces, of a Namespace", false, rules({ scope: "Namespaced" }), namespaceWrite("CREATE")],
    ["what is in no namespace, of a Namespace", true, rules({ scope: "Cluster" }), namespaceWrite("CREATE")],
    ["what is in either", true, rules({ scope: "*" }), namespaceWrite("CREATE")],
    ["labels of the new object", true, selecting("objectSelector", { is: "now" }), change],
    ["labels of the old object", true, selecting("objectSelector", { is: "old" }), change],
    ["labels of neither", false, selecting("objectSelector", { is: "other" }), change],
    ["labels of its namespace", true, selecting("namespaceSelector", { team: "stored" }), change],
    ["labels of another namespace", false, selecting("namespaceSelector", { team: "sent" }), change],
    [
      "labels of a Node's namespace: it has none",
      true,
      selecting("namespaceSelector", { team: "a" }),
      requestOf("Node"),
    ],
    ["labels of a new Namespace", true, selecting("namespaceSelector", { team: "sent" }), namespaceWrite("CREATE")],
    [
      "labels of a new Namespace, which it has not",
      false,
      selecting("namespaceSelector", { team: "other" }),
      { ...namespaceWrite("CREATE"), name: "" },
    ],
    [
      "labels of a Namespace as they were",
      false,
      selecting("namespaceSelector", { team: "stored" }),
      namespaceWrite("UPDATE"),
    ],
    [
      "labels of a Namespace that is deleted",
      true,
      selecting("namespaceSelector", { team: "stored" }),
      namespaceWrite("DELETE"),
    ],
    [
      "stored labels, where only the status of a Namespace is sent",
      true,
      selecting("namespaceSelector", { team: "stored" }),
      namespaceWrite("UPDATE", "status"),
    ],
  ])("is held to %s: %s", (_what, isSelected, resources, request) => {
    expect(isMatched(resources, request)).toBe(isSelected);
  });

  it("is seen in the version that a rule names", () => {
    expect(matchRequest(rules({ apiVersions: ["v9"] }), change, parts)?.version).toBe("v9");
    expect(matchRequest(rules({}), change, parts)?.version).toBe("v1");
  });
});
