import { vi } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { longestWaitMs } from "../../support/until.ts";

/** A kind of the tests' own, with everything that ours use: defaults, bounds, CEL, status, lists with keys. */
export const widgetType: ResourceType = {
  group: "contract.rollcall.test",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  isNamespaced: true,
};

const text = { type: "string", maxLength: 64 };

export const widgetCrd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.contract.rollcall.test" },
  spec: {
    group: widgetType.group,
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget", shortNames: ["wdg"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Size", type: "string", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "string", enum: ["small", "large"] },
                  color: { type: "string", default: "grey", pattern: "^[a-z]+$", maxLength: 20 },
                  count: { type: "integer", format: "int32", minimum: 1, maximum: 9, default: 1 },
                  owner: {
                    ...text,
                    "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "owner is for ever" }],
                  },
                  tags: { type: "array", "x-kubernetes-list-type": "set", maxItems: 16, items: text },
                  steps: { type: "array", maxItems: 16, items: text },
                  parts: {
                    type: "array",
                    maxItems: 16,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: text, weight: { type: "integer" }, note: text },
                    },
                  },
                  limits: { type: "object", additionalProperties: text, maxProperties: 16 },
                  anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
                "x-kubernetes-validations": [
                  { rule: "self.size != 'small' || self.count <= 3", message: "a small widget has at most 3 of them" },
                ],
              },
              status: {
                type: "object",
                properties: {
                  phase: text,
                  conditions: {
                    type: "array",
                    maxItems: 16,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: { type: "object", required: ["type"], properties: { type: text, status: text } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Makes the kind known to the hub and waits until it serves it. */
export async function ensureWidgets(admin: KubeApi): Promise<void> {
  await admin.apply(widgetCrd, { fieldManager: "contract" });
  // Being established and being served are a moment apart.
  const isServed = () =>
    admin.list(widgetType).then(
      () => true,
      () => false,
    );
  const isReady = async () => (await isEstablished(admin, widgetCrd.metadata.name)) && (await isServed());
  await vi.waitUntil(isReady, { timeout: longestWaitMs, interval: 50 });
}

export async function isEstablished(admin: KubeApi, name: string): Promise<boolean> {
  const crd = await admin.get({ type: resourceTypes.customResourceDefinition, name });
  return objectsAt(crd, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Established" && textAt(condition, "status") === "True",
  );
}

export function widget(namespace: string, name: string, spec: Record<string, unknown> = {}): KubeObject {
  const apiVersion = `${widgetType.group}/${widgetType.version}`;
  return { apiVersion, kind: "Widget", metadata: { namespace, name }, spec: { size: "large", ...spec } };
}

export function widgetRef(namespace: string, name: string) {
  return { type: widgetType, namespace, name };
}
