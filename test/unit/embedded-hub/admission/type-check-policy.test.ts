import { expect, it } from "vitest";
import { readPolicy } from "../../../../src/embedded-hub/admission/admission-policy.ts";
import type { TypeSources } from "../../../../src/embedded-hub/admission/type-check-policy.ts";
import { typeCheckPolicy } from "../../../../src/embedded-hub/admission/type-check-policy.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { startHubWorld } from "../controllers/hub-world.ts";

async function sourcesOfHub(): Promise<TypeSources> {
  const { operations } = await startHubWorld();
  return {
    definitionsOf: (group, version, plural) => {
      const definition = operations.definitionOf(group, plural, version);
      return definition === undefined ? [] : [definition];
    },
    definitionOfKind: (apiVersion, kind) => operations.definitionOfKind(apiVersion, kind),
  };
}

function policyOf(count: number, resources: readonly string[] = ["pods", "services"]) {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: [...resources] };
  return readPolicy({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      variables: [{ name: "one", expression: "object.spec.nodeName" }],
      validations: Array.from({ length: count }, () => ({ expression: "variables.one == 1" })),
    },
  });
}

it("A224 checks the variables of a policy once for each kind, however many expressions there are", async () => {
  const sources = await sourcesOfHub();
  const reads = (count: number): number => {
    const { variables, ...policy } = policyOf(count);
    let times = 0;
    const counted = {
      ...policy,
      get variables() {
        times += 1;
        return variables;
      },
    };
    const warnings = typeCheckPolicy(counted, sources);
    expect(warnings).toHaveLength(count);
    expect(warnings[0]?.warning).toMatch(/^\/v1, Kind=Pod: .*\n.*\n/u);
    return times;
  };
  expect(reads(50)).toBe(reads(1));
});

it("checks a policy for ten kinds at most, and for none that it names by a wildcard", async () => {
  const plurals =
    "configmaps,endpoints,events,limitranges,namespaces,nodes,persistentvolumes,pods,resourcequotas,secrets,services";
  const [warning] = typeCheckPolicy(policyOf(1, ["*", "pods/*", ...plurals.split(",")]), {
    definitionsOf: (group, version, plural) => [
      {
        ...{ group, version, plural, kind: plural, singular: plural, listKind: "", isNamespaced: true, verbs: [] },
        ...{ shortNames: [], categories: [], subresources: [] },
        structuralSchema: {
          type: "object",
          properties: { spec: { type: "object", properties: { nodeName: { type: "string" } } } },
        },
      } as unknown as ResourceDefinition,
    ],
    definitionOfKind: () => undefined,
  });
  const kinds = [...(warning?.warning ?? "").matchAll(/Kind=(\w+)/gu)].map(([, kind]) => kind);
  expect(kinds).toEqual(plurals.split(",").slice(0, 10));
});
