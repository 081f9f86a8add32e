import { describe, expect, it } from "vitest";
import { hubEditPolicy } from "../../../src/model/hub-edit-policy.ts";
import { labelKeys } from "../../../src/model/well-known.ts";

describe("hubEditPolicy", () => {
  it("is for every namespace that the daemon takes for a workspace, whatever the value of the label", () => {
    const [policy] = hubEditPolicy;
    expect(policy?.["spec"]).toMatchObject({
      matchConstraints: {
        namespaceSelector: { matchExpressions: [{ key: labelKeys.workspace, operator: "Exists" }] },
      },
    });
  });
});
