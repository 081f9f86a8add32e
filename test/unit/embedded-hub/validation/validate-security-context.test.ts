import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const context = "spec.securityContext";
const ofContainer = "spec.containers[0].securityContext";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

describe("the rights of all containers of a Pod", () => {
  it.each<{ given: JsonObject; expected: readonly string[] }>([
    { given: {}, expected: [] },
    { given: { supplementalGroups: [0, 2 ** 31 - 1] }, expected: [] },
    {
      given: { supplementalGroups: [2 ** 31, 2n ** 60n] },
      expected: [
        `${context}.supplementalGroups[0]: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive`,
        `${context}.supplementalGroups[1]: Invalid value: 1152921504606846976: must be between 0 and 2147483647, inclusive`,
      ],
    },
    {
      given: { runAsUser: 2n ** 60n + 1n },
      expected: [
        `${context}.runAsUser: Invalid value: 1152921504606846977: must be between 0 and 2147483647, inclusive`,
      ],
    },
    { given: { fsGroupChangePolicy: "Always" }, expected: [] },
    { given: { fsGroupChangePolicy: "OnRootMismatch" }, expected: [] },
    {
      given: { fsGroupChangePolicy: "" },
      expected: [`${context}.fsGroupChangePolicy: Unsupported value: "": supported values: "Always", "OnRootMismatch"`],
    },
    { given: { supplementalGroupsPolicy: "Merge" }, expected: [] },
    {
      given: { supplementalGroupsPolicy: "Odd" },
      expected: [`${context}.supplementalGroupsPolicy: Unsupported value: "Odd": supported values: "Merge", "Strict"`],
    },
    { given: { seLinuxChangePolicy: "Recursive" }, expected: [] },
    {
      given: { seLinuxChangePolicy: "MountOption" },
      expected: [`${context}.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"`],
    },
    {
      given: { appArmorProfile: { type: "Odd" }, seccompProfile: {} },
      expected: [
        `${context}.seccompProfile.type: Required value: type is required when seccompProfile is set`,
        `${context}.appArmorProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
      ],
    },
  ])("have $expected with $given", ({ given, expected }) => {
    expect(problems(["securityContext", given])).toEqual(expected);
  });

  it("do not show its processes to each other when they are those of the node", () => {
    expect(problems(["shareProcessNamespace", true], ["hostPID", true])).toEqual([
      `${context}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`,
    ]);
    expect(problems(["shareProcessNamespace", false], ["hostPID", true])).toEqual([]);
  });
});

describe("a Pod with users of its own", () => {
  const own: Change = ["hostUsers", false];

  it.each([
    ["hostNetwork", "hostNetwork"],
    ["hostPID", "HostPID"],
    ["hostIPC", "HostIPC"],
  ])("has no namespace of its node: %s", (name, field) => {
    const ports: Change = ["containers.0.ports", []];
    expect(problems(own, ports, [name, true])).toEqual([`spec.${field}: Forbidden: when \`hostUsers\` is false`]);
    expect(problems(own, ports, [name, false])).toEqual([]);
    expect(problems(["hostUsers", true], ports, [name, true])).toEqual([]);
    expect(problems(ports, [name, true])).toEqual([]);
  });

  it("may see all of /proc, and no other Pod", () => {
    const unmasked: Change = ["containers.0.securityContext", { procMount: "Unmasked" }];
    expect(problems(own, unmasked)).toEqual([]);
    expect(problems(unmasked)).toEqual([
      `${ofContainer}.procMount: Invalid value: "Unmasked": \`hostUsers\` must be false to use \`Unmasked\``,
    ]);
  });
});

describe("the rights of a container", () => {
  const unset = {
    ...{ Capabilities: null, Privileged: null, SELinuxOptions: null, WindowsOptions: null, RunAsUser: null },
    ...{ RunAsGroup: null, RunAsNonRoot: null, ReadOnlyRootFilesystem: null, AllowPrivilegeEscalation: false },
    ...{ ProcMount: null, SeccompProfile: null, AppArmorProfile: null },
  };
  const odd = { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } };

  it.each<{ given: JsonObject; expected: readonly string[] }>([
    { given: { procMount: "Default" }, expected: [] },
    {
      given: { procMount: "" },
      expected: [`${ofContainer}.procMount: Unsupported value: "": supported values: "Default", "Unmasked"`],
    },
    {
      given: odd,
      expected: [
        `${ofContainer}: Invalid value: ${JSON.stringify({ ...unset, Capabilities: { Add: ["CAP_SYS_ADMIN"], Drop: null } })}: cannot set \`allowPrivilegeEscalation\` to false and \`capabilities.Add\` CAP_SYS_ADMIN`,
      ],
    },
    { given: { ...odd, allowPrivilegeEscalation: true }, expected: [] },
    {
      given: {
        ...{ allowPrivilegeEscalation: false, privileged: true, capabilities: {}, runAsUser: 0, runAsNonRoot: true },
        ...{ seLinuxOptions: { user: "u", level: "<" }, windowsOptions: { runAsUserName: "a", hostProcess: false } },
        ...{ readOnlyRootFilesystem: true, procMount: "Default", seccompProfile: { type: "RuntimeDefault" } },
        appArmorProfile: { type: "Localhost", localhostProfile: "x" },
      },
      expected: [
        `${ofContainer}: Invalid value: {"Capabilities":{"Add":null,"Drop":null},"Privileged":true,"SELinuxOptions":{"User":"u","Role":"","Type":"","Level":"\\u003c"},"WindowsOptions":{"GMSACredentialSpecName":null,"GMSACredentialSpec":null,"RunAsUserName":"a","HostProcess":false},"RunAsUser":0,"RunAsGroup":null,"RunAsNonRoot":true,"ReadOnlyRootFilesystem":true,"AllowPrivilegeEscalation":false,"ProcMount":"Default","SeccompProfile":{"Type":"RuntimeDefault","LocalhostProfile":null},"AppArmorProfile":{"Type":"Localhost","LocalhostProfile":"x"}}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
      ],
    },
    {
      given: { runAsGroup: -1 },
      expected: [`${ofContainer}.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive`],
    },
  ])("have $expected with $given", ({ given, expected }) => {
    expect(problems(["containers.0.securityContext", given])).toEqual(expected);
  });
});
