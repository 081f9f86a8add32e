import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";

/** Definitions of the kinds of Argo CD and Flux that use a published Secret; any spec is allowed. */
export const toolDefinitions: readonly KubeObject[] = [
  resourceTypes.argoApplication,
  resourceTypes.fluxKustomization,
  resourceTypes.fluxHelmRelease,
].map(definitionOf);

function definitionOf({ group, version, kind, plural }: ResourceType): KubeObject {
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: any } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}
