import { describe, expect, it } from "vitest";
import { admissionForbidden } from "../../../../src/embedded-hub/admission/admission-forbidden.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";

const definitionOf = (wanted: string): ResourceDefinition => {
  const found = builtInResources().find(({ kind }) => kind === wanted);
  if (found === undefined) throw new Error(`${wanted} is not served`);
  return found;
};

describe("the 403 of admission", () => {
  it.each([
    ["the name in the address", "in-url", { name: "in-body", generateName: "gen-" }, "in-url"],
    ["that of the body without it", "", { name: "in-body", generateName: "gen-" }, "in-body"],
    ["the start of a name that is to be made", "", { name: "", generateName: "gen-" }, "gen-"],
    ["no name", "", { name: "" }, "Unknown"],
  ])("calls the object by %s", (_what, name, metadata, shown) => {
    const object = { apiVersion: "v1", kind: "Pod", metadata };
    const { status } = admissionForbidden({ definition: definitionOf("Pod"), name, object }, "because");
    expect(status).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `pods ${JSON.stringify(shown)} is forbidden: because`,
      details: { name: shown, kind: "pods" },
    });
    expect(Object.keys(status.details ?? {}).sort()).toEqual(["kind", "name"]);
  });

  it("has the group of its kind, and the causes", () => {
    const causes = [{ reason: "NamespaceTerminating", message: "it ends", field: "metadata.namespace" }];
    const definition = definitionOf("Deployment");
    const { status } = admissionForbidden({ definition, name: "a" }, "because", causes);
    expect(status.message).toBe('deployments.apps "a" is forbidden: because');
    expect(status.details).toEqual({ name: "a", group: "apps", kind: "deployments", causes });
  });
});
