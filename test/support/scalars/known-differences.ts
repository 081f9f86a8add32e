import type { Json } from "../../../src/core/json.ts";
import { canonicalJson, isJsonObject } from "../../../src/core/json.ts";
import type { ScalarAnswer } from "./ask-hub.ts";

/** Where the embedded hub answers otherwise, by the name of the case (`group/Kind .path literal way`, with `/version` where it is not v1), and why. */
const knownFields: readonly (readonly [reason: string, names: RegExp])[] = [
  ["uids, versions and times are each hub's own", /^\S+ \.metadata(?:\.\S+)? |^\S+ \.status\.conditions/u],
  ["controllers of both hubs write it at their own pace", /^policy\/PodDisruptionBudget \.status/u],
  [
    "the hub taints no Node, and keeps fields of earlier kubelets",
    /^\/Node \.spec(?: |\.taints |\.podCIDR |\.externalID )/u,
  ],
  ["sources of volumes that no node of the hub mounts are checked in part", /volumes\[0\]\./u],
  [
    "fields that change nothing on a node of the hub are checked in part",
    /\.template\.spec\.(?:securityContext|overhead|os|resourceClaims|hostnameOverride)|^\/Pod \.(?:spec|status)/u,
  ],
  ["the hub keeps references that kube-apiserver cuts down to their name", /^\/ServiceAccount \.secrets/u],
  ["CRDs: the hub calls no webhooks, and reads schemas itself", /CustomResourceDefinition \.(?:spec|status)/u],
  ["addresses are each hub's own", /^\/Service \.spec(?: |\.clusterIPs? )/u],
  [
    "an empty list of an autoscaler's policies is no list: it gets the default ones",
    /^autoscaling\/HorizontalPodAutoscaler\/v2 \.spec\.behavior\.scale\w+\.policies \[\] /u,
  ],
  ["a quantity of more than 60 digits", / 1e400 \w+$/u],
  [
    "a whole number of YAML beyond 63 bits is read as a float, so as a quantity it has other digits",
    /^(?:\/Node \.status\.\w+\.a|storage\.k8s\.io\/CSIStorageCapacity \.\w+) 9223372036854775808 createYaml$/u,
  ],
  [
    "no parameters of volumes and an empty map of them are equal here",
    /^storage\.k8s\.io\/StorageClass \.parameters(?:\.a null| \{\}| \{"a":null\}) \w+$/u,
  ],
];

/** Numbers that a field of 32 or 64 bits cannot hold: kube-apiserver's converter cuts off their upper bits. */
const wideNumbers = / (?:2147483648|9007199254740993|92233720368547758\d\d) (?:strategic|apply)$/u;

/** A difference that is no fault, or undefined: the same answer. Messages are compared in their codes alone. */
export function isDifferent(name: string, here: ScalarAnswer, there: ScalarAnswer): boolean {
  const [[code, value], [realCode, realValue]] = [here, there];
  if (knownFields.some(([, names]) => names.test(name))) return isUndecodableAccepted(here, there);
  // It ends the connection: a merge key that is a list or a map is more than it expects.
  if (realCode === 0) return code < 400;
  if (wideNumbers.test(name)) return code < 300 && realCode >= 300;
  if (code !== realCode) return true;
  // What is in an object that was given whole has cases of its own.
  const isWhole = isJsonObject(value) || Array.isArray(value);
  return code < 300 && !isWhole && canonicalJson(value) !== canonicalJson(realValue);
}

/** The fault that no reason allows: a value of the wrong type is refused there and taken here. */
function isUndecodableAccepted([code]: ScalarAnswer, [realCode, message]: ScalarAnswer): boolean {
  return code > 0 && code < 300 && realCode >= 400 && isDecodingFault(message);
}

function isDecodingFault(message: Json): boolean {
  const words =
    /cannot unmarshal|cannot convert|cannot restore|unrecognized type|illegal base64|quantities must match/u;
  return typeof message === "string" && words.test(message);
}
