import type { KubeObject } from "../../model/kubernetes.ts";
import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import { indexPath } from "../schema/field-error.ts";
import { warnOfAddress, warnOfCidr } from "./legacy-addresses.ts";

/** What a Service may have and should not. The Service is valid. Source: Kubernetes, pkg/api/service/warnings.go. */
export function warnOfService(service: KubeObject): string[] {
  const spec = objectAt(service, "spec") ?? {};
  const type = textAt(spec, "type") ?? "";
  const isExternal = type === "ExternalName";
  const hasAddresses = !isExternal && !["", "None"].includes(textAt(spec, "clusterIP") ?? "");
  const isHeadless = type === "ClusterIP" && textAt(spec, "clusterIP") === "None";
  const balancerAddress = textAt(spec, "loadBalancerIP") ?? "";
  const outer = textsAt(spec, "externalIPs");
  const each = (texts: readonly string[], path: string, warn: typeof warnOfAddress): string[] =>
    texts.flatMap((text, index) => warn(text, indexPath(path, index)));
  const ignored = (isSet: boolean, field: string, where: string): string[] =>
    isSet ? [`spec.${field} is ignored ${where}`] : [];
  const headless = "for headless services";
  return [
    ...(service.metadata.annotations?.["service.kubernetes.io/topology-aware-hints"] === undefined
      ? []
      : [
          "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
        ]),
    ...(hasAddresses ? each(textsAt(spec, "clusterIPs"), "spec.clusterIPs", warnOfAddress) : []),
    ...ignored(isHeadless && balancerAddress !== "", "loadBalancerIP", headless),
    ...ignored(isHeadless && outer.length > 0, "externalIPs", headless),
    ...ignored(isHeadless && textAt(spec, "sessionAffinity") !== "None", "SessionAffinity", headless),
    ...each(outer, "spec.externalIPs", warnOfAddress),
    ...warnOfAddress(balancerAddress, "spec.loadBalancerIP"),
    ...each(textsAt(spec, "loadBalancerSourceRanges"), "spec.loadBalancerSourceRanges", warnOfCidr),
    ...ignored(isExternal && outer.length > 0, "externalIPs", 'when spec.type is "ExternalName"'),
    ...ignored(
      !isExternal && (textAt(spec, "externalName") ?? "") !== "",
      "externalName",
      'when spec.type is not "ExternalName"',
    ),
  ];
}
