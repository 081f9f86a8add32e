import { expect, it } from "vitest";
import { validateEndpointSlice } from "../../../../src/embedded-hub/validation/validate-endpoints.ts";

it.each([
  [101, []],
  [20_000, []],
  [20_001, ["ports"]],
])("an EndpointSlice may have %i ports", (count, fields) => {
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "a" },
    addressType: "IPv4",
    ports: Array.from({ length: count }, (_, index) => ({ name: `p-${index}`, port: 80, protocol: "TCP" })),
  };
  expect(validateEndpointSlice(slice, undefined).map(({ field }) => field)).toEqual(fields);
});
