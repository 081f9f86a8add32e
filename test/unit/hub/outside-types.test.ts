import { describe, expect, it } from "vitest";
import { isSelected, outsideTypesOf } from "../../../src/hub/outside-types.ts";
import type { JoinProtocol, OutsideType } from "../../../src/join/join.ts";
import type { ProtocolName } from "../../../src/model/generated/protocol.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

const { clusterRole, secret } = { clusterRole: resourceTypes.clusterRole, secret: resourceTypes.secret };

function protocolsOf(...lists: readonly (readonly OutsideType[])[]): ReadonlyMap<ProtocolName, JoinProtocol> {
  const names: readonly ProtocolName[] = ["rollcall", "fleet", "kubefleet"];
  const made = lists.map((outsideTypes, index) => [names[index], { outsideTypes }]);
  return new Map(made as unknown as [ProtocolName, JoinProtocol][]);
}

describe("outsideTypesOf", () => {
  it.each<{ reason: string; lists: OutsideType[][]; watched: OutsideType[] }>([
    { reason: "nothing of protocols that need nothing", lists: [[], []], watched: [] },
    {
      reason: "once what two protocols need alike",
      lists: [[{ type: clusterRole }], [{ type: clusterRole }]],
      watched: [{ type: clusterRole }],
    },
    {
      reason: "the whole kind alone, when another needs a part of it",
      lists: [[{ type: secret, namespace: "a" }], [{ type: secret, labelSelector: "" }]],
      watched: [{ type: secret, labelSelector: "" }],
    },
    {
      reason: "each part, when none needs the whole",
      lists: [[{ type: secret, namespace: "a" }], [{ type: secret, namespace: "b", labelSelector: "" }]],
      watched: [
        { type: secret, namespace: "a" },
        { type: secret, namespace: "b", labelSelector: "" },
      ],
    },
  ])("watches $reason", ({ lists, watched }) => {
    expect(outsideTypesOf(protocolsOf(...lists))).toEqual(watched);
  });
});

describe("isSelected", () => {
  const labelled = coreObject("Secret", "a", { labels: { app: "fleet", empty: "" } });

  it.each([
    { object: labelled, selector: "", expected: true },
    { object: coreObject("Secret", "a"), selector: "", expected: true },
    { object: undefined, selector: "", expected: false },
    { object: labelled, selector: "app", expected: true },
    { object: labelled, selector: "empty", expected: true },
    { object: labelled, selector: "app=fleet", expected: true },
    { object: labelled, selector: "app=other", expected: false },
    { object: labelled, selector: "other", expected: false },
    { object: labelled, selector: "other=fleet", expected: false },
    { object: coreObject("Secret", "a"), selector: "app=fleet", expected: false },
  ])(
    "selects an object by its label, as kube-apiserver does: $selector: $expected",
    ({ object, selector, expected }) => {
      expect(isSelected(object, selector)).toBe(expected);
    },
  );
});
