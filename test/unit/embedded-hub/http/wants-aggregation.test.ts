import { expect, it } from "vitest";
import { wantsAggregation } from "../../../../src/embedded-hub/http/wants-aggregation.ts";

const shape = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

it.each([
  [undefined, false, "no header asks for the plain list"],
  [shape("v2"), true, "it is asked for"],
  [`${shape("v2")},${shape("v2beta1")},application/json`, true, "kubectl asks so"],
  [`${shape("v2beta1")},application/json`, false, "kube-apiserver 1.34 has no v2beta1"],
  [`application/json,${shape("v2")};q=0.9`, false, "the plain list is wanted more"],
  [shape("v2").replace("apidiscovery", "other"), false, "another group asks so"],
  [shape("v2").replace("APIGroup", "Other"), false, "another kind is asked for"],
  [shape("v2").replace("application/json", "application/yaml"), false, "it is no YAML"],
  ["text/html", false, "it cannot be made"],
])("%s: %s, because %s", (accept, expected, _reason) => {
  expect(wantsAggregation(accept)).toBe(expected);
});
