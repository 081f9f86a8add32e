import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, valueAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkSubdomain } from "../../core/formats/kube-names.ts";
import { forbidden, indexPath, invalid, invalidStruct } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// Pods of Windows. Source of this file: Kubernetes, pkg/apis/core/validation.

const longestCredentialBytes = 64 * 1024;
const longestDomainBytes = 255;
const longestUserBytes = 104;

const controlCharacters = /[\u0000-\u001F\u007F]/u;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsLabel = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/u;

/** What is wrong with the rights that a container, or all of a Pod, has on Windows. */
export function validateWindowsOptions(context: JsonObject, path: string): FieldError[] {
  const options = objectAt(context, "windowsOptions");
  const name = textAt(options, "gmsaCredentialSpecName");
  const credential = textAt(options, "gmsaCredentialSpec");
  const user = textAt(options, "runAsUserName");
  const field = `${path}.windowsOptions`;
  return [
    ...holdIfThere(checkSubdomain, name, `${field}.gmsaCredentialSpecName`),
    ...holdIfThere(checkCredential, credential, `${field}.gmsaCredentialSpec`),
    ...holdIfThere(checkUserName, user, `${field}.runAsUserName`),
  ];
}

/** An API server holds these texts as pointers, which it prints as JSON. */
function holdIfThere(check: NameCheck, value: string | undefined, field: string): FieldError[] {
  return value === undefined ? [] : check(value).map((text) => invalidStruct(field, value, text));
}

function checkCredential(text: string): string[] {
  if (text === "") return ["gmsaCredentialSpec cannot be an empty string"];
  return Buffer.byteLength(text) > longestCredentialBytes ? ["gmsaCredentialSpec size must be under 64 KiB"] : [];
}

/** `DOMAIN\\USER`, or a user alone. */
function checkUserName(text: string): string[] {
  if (text === "") return ["runAsUserName cannot be an empty string"];
  if (controlCharacters.test(text)) return ["runAsUserName cannot contain control characters"];
  const parts = text.split("\\");
  const [first = "", second] = parts;
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  return second === undefined ? checkUser(first) : [...checkDomain(first), ...checkUser(second)];
}

function checkDomain(domain: string): string[] {
  const isKnownFormat = netBiosName.test(domain) || domain.split(".").every((label) => dnsLabel.test(label));
  return [
    ...(Buffer.byteLength(domain) > longestDomainBytes
      ? ["runAsUserName's Domain length must be under 256 characters"]
      : []),
    ...(isKnownFormat ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function checkUser(user: string): string[] {
  if (user === "") return ["runAsUserName's User cannot be empty"];
  return [
    ...(Buffer.byteLength(user) > longestUserBytes
      ? [`runAsUserName's User length must not be longer than ${longestUserBytes} characters`]
      : []),
    ...(/^[. ]+$/u.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/:;|=,+*?<>@[\]]/u.test(user)
      ? [String.raw`runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`]
      : []),
  ];
}

/** Either no container of a Pod runs as a process of its host, or all do, in the host's network. */
export function validateHostProcess(spec: JsonObject, path: string): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const containers = containersOf(spec, path).map((one) => ({ ...one, own: hostProcessOf(one.container) }));
  const errors = containers.flatMap(({ own, field }) => {
    if (ofPod === undefined || own === undefined || own === ofPod) return [];
    const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalid(`${field}.securityContext.windowsOptions.hostProcess`, own, text)];
  });
  const count = containers.filter(({ own }) => own ?? ofPod ?? false).length;
  if (count === 0) return errors;
  const all = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
  const network = "hostNetwork must be true if pod contains any hostProcess containers";
  return [
    ...errors,
    ...(count === containers.length ? [] : [invalid(path, "", all)]),
    ...(isTrueAt(spec, "hostNetwork") ? [] : [invalid(`${path}.hostNetwork`, false, network)]),
  ];
}

function hostProcessOf(holder: JsonObject): boolean | undefined {
  const value = valueAt(holder, "securityContext", "windowsOptions", "hostProcess");
  return typeof value === "boolean" ? value : undefined;
}

const ofLinuxPods = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"];
const ofLinux = ["appArmorProfile", "seLinuxOptions", "seccompProfile", "runAsUser", "runAsGroup"];
const ofLinuxPodContexts = [
  ...ofLinux,
  ...["fsGroup", "fsGroupChangePolicy", "sysctls", "supplementalGroups", "supplementalGroupsPolicy"],
  "seLinuxChangePolicy",
];
const ofLinuxContainers = [
  ...ofLinux,
  ...["capabilities", "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount"],
];

/** What a Pod may not have since it declares of which system it is. */
export function forbidOfOtherSystem(spec: JsonObject, path: string): FieldError[] {
  const containers = containersOf(spec, path).map(({ container, field }) => ({ holder: container, field }));
  const holders = [{ holder: spec, field: path }, ...containers];
  if (textAt(spec, "os", "name") === "linux") {
    return holders.flatMap(({ holder, field }) => {
      const text = "windows options cannot be set for a linux pod";
      return forbidSet(objectAt(holder, "securityContext"), `${field}.securityContext`, ["windowsOptions"], text);
    });
  }
  const text = "cannot be set for a windows pod";
  return [
    ...forbidSet(spec, path, ofLinuxPods, text),
    ...holders.flatMap(({ holder, field }, index) => {
      const names = index === 0 ? ofLinuxPodContexts : ofLinuxContainers;
      return forbidSet(objectAt(holder, "securityContext"), `${field}.securityContext`, names, text);
    }),
  ];
}

/** `hostPID: false` is no different from a Pod without it; of other fields any value is too much. */
function forbidSet(holder: JsonObject | undefined, path: string, names: readonly string[], text: string): FieldError[] {
  const isSet = (name: string): boolean => {
    const value = holder?.[name];
    const isNothing = value === false && ["hostPID", "hostIPC"].includes(name);
    return value !== undefined && !isNothing && !(Array.isArray(value) && value.length === 0);
  };
  return names.filter(isSet).map((name) => forbidden(`${path}.${name}`, text));
}

interface PlacedContainer {
  readonly container: JsonObject;
  readonly field: string;
}

/** All containers of a Pod, in the order of an API server. */
function containersOf(spec: JsonObject, path: string): PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsAt(spec, list).map((container, index) => ({ container, field: indexPath(`${path}.${list}`, index) })),
  );
}
