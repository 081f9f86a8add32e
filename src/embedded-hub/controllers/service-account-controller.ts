import { textAt, textMapAt } from "../../core/read-json.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

const rootCaName = "kube-root-ca.crt";
const rootCaNote =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
  "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Keeps the service account `default` and the ConfigMap kube-root-ca.crt in every namespace that is not being deleted.
 * Source: Kubernetes, pkg/controller/serviceaccount and pkg/controller/certificates/rootcacertpublisher.
 */
export function startServiceAccountController(scope: ControllerScope, caBundle: string): Controller {
  const accounts = hubWriter(scope.operations, "service-account-controller");
  const certificates = hubWriter(scope.operations, "root-ca-cert-publisher");
  const queue = controllerQueue({ scope, name: "service-account", concurrency: 4, work });

  async function work(namespace: string): Promise<void> {
    const found = accounts.get("", "namespaces", { name: namespace });
    if (found === undefined || textAt(found, "status", "phase") === "Terminating") return;
    if (accounts.get("", "serviceaccounts", { namespace, name: "default" }) === undefined) {
      await accounts.createIfMissing({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      });
    }
    const existing = certificates.get("", "configmaps", { namespace, name: rootCaName });
    if (existing === undefined) {
      await certificates.createIfMissing({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: rootCaName, namespace, annotations: { "kubernetes.io/description": rootCaNote } },
        data: { "ca.crt": caBundle },
      });
      return;
    }
    const data = textMapAt(existing, "data");
    if (data["ca.crt"] === caBundle && Object.keys(data).length === 1) return;
    const annotations = { ...existing.metadata.annotations, "kubernetes.io/description": rootCaNote };
    await certificates.update({
      ...existing,
      metadata: { ...existing.metadata, annotations },
      data: { "ca.crt": caBundle },
    });
  }

  scope.feed.on("", "namespaces", ({ kind, object }) => {
    if (kind !== "deleted") queue.add(object.metadata.name);
  });
  scope.feed.on("", "serviceaccounts", ({ kind, object }) => {
    if (kind === "deleted" && object.metadata.name === "default") queue.add(object.metadata.namespace ?? "");
  });
  scope.feed.on("", "configmaps", (event) => {
    if (event.kind === "added" || !event.mentions(`"name":"${rootCaName}"`)) return;
    if (event.object.metadata.name === rootCaName) queue.add(event.object.metadata.namespace ?? "");
  });
  return { stop: () => queue.stop() };
}
