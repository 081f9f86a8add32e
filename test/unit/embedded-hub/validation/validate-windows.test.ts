import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ["containers.0.ports", []], ...changes), "spec", true));
}

const options = "securityContext.windowsOptions";
const [first] = podSpec["containers"] as readonly JsonObject[];

/** A container with these rights. */
function container(name: string, securityContext: JsonObject): JsonObject {
  return { ...first, name, ports: [], securityContext };
}

// The answers of kube-apiserver 1.34.4.

describe("a user of Windows", () => {
  const [empty, domain] = ["cannot be an empty string", "'s Domain doesn't match the NetBios nor the DNS format"];
  const tooLong = "'s User length must not be longer than 104 characters";
  const characters = String.raw`'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`;

  it.each<{ user: string; shown?: string; texts: readonly string[] }>([
    { user: "ContainerUser", texts: [] },
    { user: String.raw`dom\user`, texts: [] },
    { user: String.raw`nétbiös\user`, texts: [] },
    { user: String.raw`a b c\user`, texts: [] },
    { user: String.raw`a.b-c.example.com\user`, texts: [] },
    { user: `${"😀".repeat(15)}\\user`, texts: [] },
    { user: `${"a".repeat(63)}.${"a".repeat(63)}.${"a".repeat(63)}.${"a".repeat(63)}\\user`, texts: [] },
    { user: "a".repeat(104), texts: [] },
    { user: "a\u0085b", texts: [] },
    { user: "", texts: [` ${empty}`] },
    { user: "a\tb", texts: [" cannot contain control characters"] },
    { user: "a\u007Fb", texts: [" cannot contain control characters"] },
    { user: "dom\n\\user", texts: [" cannot contain control characters"] },
    { user: String.raw`a\b\c`, texts: [" cannot contain more than one backslash"] },
    { user: String.raw`.dom\user`, texts: [domain] },
    { user: String.raw`a:b\user`, texts: [domain] },
    { user: String.raw`\user`, texts: [domain] },
    { user: `${"a".repeat(64)}\\user`, texts: [domain] },
    { user: `${"a".repeat(15)} \\user`, texts: [domain] },
    { user: `${"a".repeat(256)}\\user`, texts: ["'s Domain length must be under 256 characters", domain] },
    { user: "dom\\", texts: ["'s User cannot be empty"] },
    { user: "a".repeat(105), texts: [tooLong] },
    { user: "é".repeat(53), texts: [tooLong] },
    { user: ". .", texts: ["'s User cannot contain only periods or spaces"] },
    { user: "a@b", texts: [characters] },
    { user: String.raw`d\[`, texts: [characters] },
    { user: "a<b", shown: String.raw`"a\u003cb"`, texts: [characters] },
  ])("$user is refused for $texts", ({ user, shown = JSON.stringify(user), texts }) => {
    const expected = texts.map((text) => `Invalid value: ${shown}: runAsUserName${text}`);
    expect(problems([options, { runAsUserName: user }])).toEqual(
      expected.map((text) => `spec.${options}.runAsUserName: ${text}`),
    );
    expect(problems([`containers.0.${options}`, { runAsUserName: user }])).toEqual(
      expected.map((text) => `spec.containers[0].${options}.runAsUserName: ${text}`),
    );
  });
});

describe("credentials of Windows", () => {
  it.each<{ given: JsonObject; expected: readonly string[] }>([
    { given: { gmsaCredentialSpecName: "ok", gmsaCredentialSpec: "x" }, expected: [] },
    { given: { gmsaCredentialSpec: "é".repeat(32_768) }, expected: [] },
    {
      given: { gmsaCredentialSpec: "é".repeat(32_769) },
      expected: [`Spec: Invalid value: "${"é".repeat(32_769)}": gmsaCredentialSpec size must be under 64 KiB`],
    },
    {
      given: { gmsaCredentialSpec: "" },
      expected: ['Spec: Invalid value: "": gmsaCredentialSpec cannot be an empty string'],
    },
    {
      given: { gmsaCredentialSpecName: "A_b" },
      expected: [
        `SpecName: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    },
  ])("are refused: $expected", ({ given, expected }) => {
    expect(problems([options, given])).toEqual(expected.map((text) => `spec.${options}.gmsaCredential${text}`));
  });
});

describe("processes of a host", () => {
  const on = { windowsOptions: { hostProcess: true } };
  const off = { windowsOptions: { hostProcess: false } };
  const all =
    'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers';
  const network =
    "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers";
  const differs = (list: string, own: boolean): string =>
    `spec.${list}[0].${options}.hostProcess: Invalid value: ${own}: pod hostProcess value must be identical if both are specified, was ${!own}`;
  const onNetwork: Change = ["hostNetwork", true];

  it.each<{ given: readonly Change[]; expected: readonly string[] }>([
    { given: [["securityContext", off]], expected: [] },
    { given: [["securityContext", on]], expected: [network] },
    { given: [["securityContext", on], onNetwork], expected: [] },
    { given: [["containers", [container("a", on), container("b", on)]], onNetwork], expected: [] },
    { given: [["containers", [container("a", on), container("b", {})]], onNetwork], expected: [all] },
    {
      given: [["containers", [container("a", on)]], ["initContainers", [container("b", {})]], onNetwork],
      expected: [all],
    },
    {
      given: [
        ["securityContext", off],
        ["containers", [container("a", off)]],
      ],
      expected: [],
    },
    {
      given: [
        ["securityContext", on],
        ["containers", [container("a", off)]],
        ["initContainers", [container("b", off)]],
      ],
      expected: [differs("initContainers", false), differs("containers", false)],
    },
    {
      given: [
        ["securityContext", off],
        ["containers", [container("a", on)]],
      ],
      expected: [differs("containers", true), network],
    },
    {
      given: [
        ["securityContext", on],
        ["ephemeralContainers", [container("e", off)]],
      ],
      expected: [differs("ephemeralContainers", false), all, network],
    },
  ])("are $expected with $given", ({ given, expected }) => {
    expect(problems(...given)).toEqual(expected);
  });
});

describe("a Pod that declares of which system it is", () => {
  const system = (name: string): Change => ["os", { name }];

  it("has no options of Windows on Linux", () => {
    const given = { windowsOptions: {} };
    const changes: Change[] = [
      ["securityContext", given],
      ...["initContainers", "containers", "ephemeralContainers"].map((list): Change => [
        list,
        [container(list[0] ?? "", given)],
      ]),
    ];
    const fields = ["", "initContainers[0].", "containers[0].", "ephemeralContainers[0]."];
    expect(problems(system("linux"), ...changes)).toEqual(
      fields.map((field) => `spec.${field}${options}: Forbidden: windows options cannot be set for a linux pod`),
    );
    expect(problems(system("windows"), ...changes)).toEqual([]);
    expect(problems(...changes)).toEqual([]);
  });

  it.each([
    ["hostUsers", true],
    ["hostPID", true],
    ["hostIPC", true],
    ["shareProcessNamespace", false],
    ["securityContext.appArmorProfile", { type: "RuntimeDefault" }],
    ["securityContext.seLinuxOptions", {}],
    ["securityContext.seccompProfile", { type: "RuntimeDefault" }],
    ["securityContext.runAsUser", 0],
    ["securityContext.runAsGroup", 0],
    ["securityContext.fsGroup", 0],
    ["securityContext.fsGroupChangePolicy", "Always"],
    ["securityContext.sysctls", [{ name: "a", value: "b" }]],
    ["securityContext.supplementalGroups", [1]],
    ["securityContext.supplementalGroupsPolicy", "Merge"],
    ["securityContext.seLinuxChangePolicy", "Recursive"],
    ["containers.0.securityContext.appArmorProfile", { type: "RuntimeDefault" }],
    ["containers.0.securityContext.seLinuxOptions", {}],
    ["containers.0.securityContext.seccompProfile", { type: "RuntimeDefault" }],
    ["containers.0.securityContext.capabilities", {}],
    ["containers.0.securityContext.readOnlyRootFilesystem", false],
    ["containers.0.securityContext.privileged", false],
    ["containers.0.securityContext.allowPrivilegeEscalation", false],
    ["containers.0.securityContext.procMount", "Default"],
    ["containers.0.securityContext.runAsUser", 0],
    ["containers.0.securityContext.runAsGroup", 0],
  ])("has no %s on Windows", (name, value) => {
    const expected = `spec.${name.replace(".0", "[0]")}: Forbidden: cannot be set for a windows pod`;
    expect(problems(system("windows"), [name, value])).toEqual([expected]);
    expect(problems(system("linux"), [name, value])).toEqual([]);
  });

  it.each([
    ["hostPID", false],
    ["hostIPC", false],
    ["hostNetwork", true],
    ["securityContext.sysctls", []],
    ["securityContext.runAsNonRoot", true],
    ["containers.0.securityContext.runAsNonRoot", true],
  ])("may have %s %j on Windows", (name, value) => {
    expect(problems(system("windows"), [name, value])).toEqual([]);
  });
});
