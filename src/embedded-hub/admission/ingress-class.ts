import { objectAt, textAt } from "../../core/read-json.ts";
import { compareText } from "../../core/compare-text.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** The annotation that named the class before there was a field for it. */
const classAnnotation = "kubernetes.io/ingress.class";
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

/**
 * A new Ingress that names no class gets the default one: of several, the newest. Source: Kubernetes,
 * plugin/pkg/admission/network/defaultingressclass.
 */
export function withIngressClass(ingress: KubeObject, listClasses: () => readonly KubeObject[]): KubeObject {
  const isNamed = textAt(ingress, "spec", "ingressClassName") !== undefined;
  if (isNamed || textAt(ingress, "metadata", "annotations", classAnnotation) !== undefined) return ingress;
  const [chosen] = listClasses()
    .filter((one) => textAt(one, "metadata", "annotations", defaultAnnotation) === "true")
    .sort((a, b) => compareText(createdAt(b), createdAt(a)) || compareText(a.metadata.name, b.metadata.name));
  if (chosen === undefined) return ingress;
  return { ...ingress, spec: { ...objectAt(ingress, "spec"), ingressClassName: chosen.metadata.name } };
}

function createdAt(object: KubeObject): string {
  return object.metadata.creationTimestamp ?? "";
}
