import { describe, expect, it } from "vitest";
import { successorOf } from "../../../../src/hub/members/successor.ts";
import { annotationKeys } from "../../../../src/model/well-known.ts";
import { clusterOf } from "../objects.ts";

describe("successorOf", () => {
  it.each([
    { reason: "no annotation", to: undefined, expected: undefined },
    { reason: "another workspace", to: "emea/eu-1", expected: { workspace: "emea", name: "eu-1" } },
    { reason: "a name alone", to: "eu-1", expected: { workspace: "", name: "eu-1" } },
  ])("reads $reason", ({ to, expected }) => {
    const annotations: Record<string, string> = to === undefined ? {} : { [annotationKeys.movedTo]: to };
    expect(successorOf({ cluster: clusterOf("old", { metadata: { annotations } }) })).toEqual(expected);
  });
});
