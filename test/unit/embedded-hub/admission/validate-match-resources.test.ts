import { describe, expect, it } from "vitest";
import { validateMatchResources } from "../../../../src/embedded-hub/admission/validate-match-resources.ts";

const rows: readonly { readonly resources: readonly string[]; readonly faults: readonly string[] }[] = [
  { resources: ["pods", "pods/status"], faults: [] },
  { resources: ["*/*"], faults: [] },
  { resources: ["pods/*", "pods/log"], faults: ["[1]: if 'pods/*' is present, must not specify pods/log"] },
  { resources: ["*/scale", "a/scale"], faults: ["[1]: if '*/scale' is present, must not specify a/scale"] },
  {
    resources: ["*/*", "pods/*", "*/status"],
    faults: [
      "[1]: if '*/*' is present, must not specify pods/*",
      "[2]: if '*/*' is present, must not specify */status",
      ": if '*/*' is present, must not specify other resources",
    ],
  },
  {
    resources: ["pods/*", "*/b/c", "pods/b/c"],
    faults: [
      "[2]: if 'pods/*' is present, must not specify pods/b/c",
      "[2]: if '*/b/c' is present, must not specify pods/b/c",
    ],
  },
  {
    resources: ["", "*", "pods"],
    faults: ["[0]: ", ": if '*' is present, must not specify other resources without subresources"],
  },
];

describe("the resources of a rule", () => {
  it.each(rows)("may not be covered by others of them: $resources", ({ resources, faults }) => {
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources };
    const errors = validateMatchResources({ resourceRules: [rule] }, "spec");
    expect(
      errors.map(({ field, message }) => {
        const place = field.replace("spec.resourceRules[0].resources", "");
        return `${place}: ${message.replace(/^(?:Invalid value: .*?: |Required value(?:: )?)(?=if |$)/u, "")}`;
      }),
    ).toEqual(faults);
  });
});
