import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt, valueAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, nonNegative, validatePort } from "./checks.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const schemes = ["HTTP", "HTTPS"];

const checkHeaderName: NameCheck = (name) =>
  /^[-A-Za-z0-9]+$/u.test(name)
    ? []
    : [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ];

/** What is wrong with the probes of a container. */
export function validateProbes(container: JsonObject, path: string): FieldError[] {
  return ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) => {
    const probe = objectAt(container, name);
    return probe === undefined ? [] : validateProbe(probe, name, `${path}.${name}`);
  });
}

function validateProbe(probe: JsonObject, name: string, path: string): FieldError[] {
  const grace = numberAt(probe, "terminationGracePeriodSeconds");
  const threshold = numberAt(probe, "successThreshold") ?? 0;
  const errors = [
    ...validateHandler(probe, path, undefined),
    ...nonNegative(probe, path, "initialDelaySeconds", "timeoutSeconds", "periodSeconds"),
    ...nonNegative(probe, path, "successThreshold", "failureThreshold"),
  ];
  const graceField = `${path}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalid(graceField, grace, "must be greater than 0"));
  if (name !== "readinessProbe") {
    if (threshold !== 1) errors.push(invalid(`${path}.successThreshold`, threshold, "must be 1"));
  } else if (grace !== undefined) {
    errors.push(invalid(graceField, grace, "must not be set for readinessProbes"));
  }
  return errors;
}

/** What is wrong with what a container does when it begins and before it ends, for which it has `graceSeconds`. */
export function validateLifecycle(container: JsonObject, path: string, graceSeconds: number | undefined): FieldError[] {
  return ["postStart", "preStop"].flatMap((name) => {
    const handler = objectAt(container, "lifecycle", name);
    return handler === undefined ? [] : validateHandler(handler, `${path}.lifecycle.${name}`, graceSeconds);
  });
}

/** Exactly one of the ways to act. */
function validateHandler(handler: JsonObject, path: string, graceSeconds: number | undefined): FieldError[] {
  const names = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"].filter(
    (name) => objectAt(handler, name) !== undefined,
  );
  const [first, ...others] = names;
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...validateAction(first, objectAt(handler, first) ?? {}, `${path}.${first}`),
    ...(first === "sleep" ? validateSleep(objectAt(handler, first), `${path}.${first}`, graceSeconds) : []),
    ...others.map((name) => forbidden(`${path}.${name}`, "may not specify more than 1 handler type")),
  ];
}

function validateAction(name: string, action: JsonObject, path: string): FieldError[] {
  const port = valueAt(action, "port");
  switch (name) {
    case "exec":
      return textsAt(action, "command").length === 0 ? [required(`${path}.command`)] : [];
    case "httpGet":
      return validateHttpGet(action, path);
    case "tcpSocket":
    case "grpc":
      return validatePort(typeof port === "string" || typeof port === "number" ? port : undefined, `${path}.port`);
    default:
      return [];
  }
}

function validateSleep(action: JsonObject | undefined, path: string, graceSeconds: number | undefined): FieldError[] {
  const seconds = numberAt(action, "seconds") ?? 0;
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, text)];
}

function validateHttpGet(action: JsonObject, path: string): FieldError[] {
  const port = valueAt(action, "port");
  const scheme = textAt(action, "scheme") ?? "";
  return [
    ...((textAt(action, "path") ?? "") === "" ? [required(`${path}.path`)] : []),
    ...validatePort(typeof port === "string" || typeof port === "number" ? port : undefined, `${path}.port`),
    ...(schemes.includes(scheme) ? [] : [notSupported(`${path}.scheme`, scheme, schemes)]),
    ...objectsAt(action, "httpHeaders").flatMap((header) =>
      hold(checkHeaderName, textAt(header, "name") ?? "", `${path}.httpHeaders`),
    ),
  ];
}
