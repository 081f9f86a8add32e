import { errorCodes } from "../core/error-codes.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { ignoreFileName } from "./select-files.ts";

const encrypted = /^ENC\[AES256_GCM,data:[^\]]*\]$/u;

/** What people write in place of a credential that they paste. */
const redacted = /^(?:[<[(]?redacted[>\])]?|\*{1,64})$/iu;

/**
 * Checks that a `v1` Secret is encrypted with SOPS, every value of it, and of the one type that is applied. No message
 * ever holds a value. Source: SOPS, encrypted YAML files.
 */
export function checkSecret(secret: JsonObject): SchemaFinding[] {
  const findings = [...["data", "stringData"].flatMap((field) => plainValues(secret, field)), ...plainCopy(secret)];
  if (findings.length > 0) return findings;
  if (!hasValues(secret)) return [withoutValues()];
  const sops = secret["sops"];
  if (!isJsonObject(sops)) {
    return [plain(["kind"], "the Secret is not encrypted with SOPS")];
  }
  if (typeof sops["mac"] !== "string" || !encrypted.test(sops["mac"])) {
    return [plain(["sops"], "sops: has no mac, so the Secret cannot be trusted; encrypt it again with SOPS")];
  }
  const type = secret["type"];
  if (type === undefined || type === "Opaque") return [];
  return [
    {
      code: "E_SCHEMA",
      path: ["type"],
      part: "value",
      message: "type: only Secrets of type Opaque are applied from files",
      fix: `Write type: Opaque, or ${listAndMake}.`,
    },
  ];
}

const listAndMake = `list the file in ${ignoreFileName} and make the Secret on the hub`;

function hasValues({ data, stringData }: JsonObject): boolean {
  return isJsonObject(data) || isJsonObject(stringData);
}

/** A Secret that the hub fills, such as the token of a ServiceAccount: there is nothing to encrypt. */
function withoutValues(): SchemaFinding {
  return {
    code: "E_SCHEMA",
    path: ["kind"],
    part: "value",
    message: "the Secret has no values: only Secrets with encrypted values are applied from files",
    fix: `Give it values and encrypt them, or ${listAndMake}.`,
  };
}

/** Finds the credential of a Clusternet hub's answer in a committed output of `kubectl get`. No message contains it. */
export function checkCredential({ kind, status }: JsonObject): SchemaFinding[] {
  const token = kind === "ClusterRegistrationRequest" && isJsonObject(status) ? status["token"] : undefined;
  if (typeof token !== "string" || token === "" || redacted.test(token)) return [];
  return [
    {
      ...plain(["status", "token"], "status.token: is the agent's credential"),
      fix: "Delete the status, and revoke the cluster: the credential is in the history.",
    },
  ];
}

const encryptIt = `${errorCodes.E_PLAIN_SECRET.remedy} If the fleet does not use it, list its file in ${ignoreFileName}.`;

/** Finds the values of one map that are not encrypted; empty texts need no encryption. */
function plainValues(secret: JsonObject, field: string): SchemaFinding[] {
  const values = secret[field];
  if (values === undefined || values === null) return [];
  if (!isJsonObject(values)) return [plain([field], `${field}: is not encrypted`)];
  return Object.keys(values)
    .filter((key) => {
      const value = values[key];
      return typeof value !== "string" || (value !== "" && !encrypted.test(value));
    })
    .map((key) => plain([field, key], `${field}: the value of ${JSON.stringify(key)} is not encrypted`));
}

/** What `kubectl apply` leaves on an object, and `kubectl get -o yaml` shows: a copy of all values. SOPS leaves it as it is. */
const copyAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

function plainCopy(secret: JsonObject): SchemaFinding[] {
  const copy = textAt(secret, "metadata", "annotations", copyAnnotation) ?? "";
  if (copy === "" || encrypted.test(copy)) return [];
  const path = ["metadata", "annotations", copyAnnotation];
  const fix =
    "Delete the annotation. If the file was pushed, replace the values of the Secret: git keeps the old ones.";
  return [{ ...plain(path, `metadata.annotations: ${copyAnnotation} holds the values of the Secret`), fix }];
}

function plain(path: readonly string[], message: string): SchemaFinding {
  return { code: "E_PLAIN_SECRET", path, part: "key", message, fix: encryptIt };
}
