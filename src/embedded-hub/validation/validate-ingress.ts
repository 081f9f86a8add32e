import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabel, checkLabel1035, checkPathSegment, checkSubdomain } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { checkPortName, checkPortNumber, hold, immutable } from "./checks.ts";
import { checkHost, eachOf, validateDomainPath } from "./checks-network.ts";
import { isAddress } from "./legacy-addresses.ts";

// Source of this file: Kubernetes, pkg/apis/networking/validation.

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const scopes = ["Cluster", "Namespace"];
const classAnnotation = "kubernetes.io/ingress.class";
const longestController = 250;

/** What is wrong with an Ingress. */
export function validateIngress(ingress: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(ingress, "spec") ?? {};
  const backend = objectAt(spec, "defaultBackend");
  const rules = objectsAt(spec, "rules");
  const className = textAt(spec, "ingressClassName");
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const isAmbiguous = old === undefined && annotation !== undefined && className !== undefined;
  return [
    ...(backend === undefined && rules.length === 0
      ? [
          invalid(
            "spec",
            Array.isArray(spec["rules"]) ? [] : null,
            "either `defaultBackend` or `rules` must be specified",
          ),
        ]
      : []),
    ...(backend === undefined ? [] : validateBackend(backend, "spec.defaultBackend")),
    ...eachOf(rules, "spec.rules", validateRule),
    ...eachOf(objectsAt(spec, "tls"), "spec.tls", validateTls),
    ...(className === undefined ? [] : hold(checkSubdomain, className, "spec.ingressClassName")),
    ...(isAmbiguous && annotation !== className
      ? [invalid(`annotations.${classAnnotation}`, annotation, "must match `ingressClassName` when both are specified")]
      : []),
  ];
}

function validateTls(tls: JsonObject, path: string): FieldError[] {
  const secret = textAt(tls, "secretName") ?? "";
  return [
    ...eachOf(textsAt(tls, "hosts"), `${path}.hosts`, (host, place) => hold(checkHost, host, place)),
    ...(secret === "" ? [] : hold(checkSubdomain, secret, `${path}.secretName`)),
  ];
}

function validateRule(rule: JsonObject, path: string): FieldError[] {
  const host = textAt(rule, "host") ?? "";
  const http = objectAt(rule, "http");
  const paths = objectsAt(http, "paths");
  return [
    ...(isAddress(host) ? [invalid(`${path}.host`, host, "must be a DNS name, not an IP address")] : []),
    ...(host === "" ? [] : hold(checkHost, host, `${path}.host`)),
    ...(http === undefined || paths.length > 0 ? [] : [required(`${path}.http.paths`)]),
    ...eachOf(paths, `${path}.http.paths`, validatePath),
  ];
}

function validatePath(item: JsonObject, path: string): FieldError[] {
  const type = textAt(item, "pathType");
  if (type === undefined) return [required(`${path}.pathType`, "pathType must be specified")];
  return [
    ...validatePathText(item, type, path),
    ...validateBackend(objectAt(item, "backend") ?? {}, `${path}.backend`),
  ];
}

function validatePathText(item: JsonObject, type: string, path: string): FieldError[] {
  const text = textAt(item, "path") ?? "";
  const wrong = (detail: string): FieldError => invalid(`${path}.path`, text, detail);
  if (!pathTypes.includes(type)) return [notSupported(`${path}.pathType`, type, pathTypes)];
  const absolute = text.startsWith("/") ? [] : [wrong("must be an absolute path")];
  if (type === "ImplementationSpecific") return text === "" ? [] : absolute;
  return [
    ...absolute,
    ...["//", "/./", "/../", "%2f", "%2F"]
      .filter((part) => text.includes(part))
      .map((part) => wrong(`must not contain '${part}'`)),
    ...["/..", "/."].filter((part) => text.endsWith(part)).map((part) => wrong(`cannot end with '${part}'`)),
  ];
}

function validateBackend(backend: JsonObject, path: string): FieldError[] {
  const service = objectAt(backend, "service");
  const resource = objectAt(backend, "resource");
  if (service !== undefined && resource !== undefined) {
    return [invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return validateReference(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, "", "resource or service backend is required")];
  const name = textAt(service, "name") ?? "";
  return [
    ...(name === "" ? [required(`${path}.service.name`)] : hold(checkLabel1035, name, `${path}.service.name`)),
    ...validateServicePort(objectAt(service, "port"), path),
  ];
}

function validateServicePort(port: JsonObject | undefined, path: string): FieldError[] {
  const name = textAt(port, "name") ?? "";
  const number = numberAt(port, "number") ?? 0;
  if (name !== "" && number !== 0) return [invalid(path, "", "cannot set both port name & port number")];
  if (name !== "") return hold(checkPortName, name, `${path}.service.port.name`);
  if (number === 0) return [required(path, "port name or number is required")];
  return checkPortNumber(number).map((text) => invalid(`${path}.service.port.number`, number, text));
}

function validateReference(reference: JsonObject, path: string): FieldError[] {
  const group = textAt(reference, "apiGroup");
  return [
    ...(group === undefined ? [] : hold(checkSubdomain, group, `${path}.apiGroup`)),
    ...["kind", "name"].flatMap((field) => {
      const text = textAt(reference, field) ?? "";
      if (text === "") return [required(`${path}.${field}`)];
      return hold(checkPathSegment, text, `${path}.${field}`);
    }),
  ];
}

/** What is wrong with an IngressClass. */
export function validateIngressClass(one: KubeObject, old: KubeObject | undefined): FieldError[] {
  const controller = textAt(one, "spec", "controller") ?? "";
  const parameters = objectAt(one, "spec", "parameters");
  return [
    ...(old === undefined ? [] : immutable(controller, textAt(old, "spec", "controller") ?? "", "spec.controller")),
    ...(controller.length > longestController ? [tooLong("spec.controller", longestController)] : []),
    ...validateDomainPath(controller, "spec.controller"),
    ...(parameters === undefined ? [] : validateParameters(parameters, "spec.parameters")),
  ];
}

function validateParameters(parameters: JsonObject, path: string): FieldError[] {
  const scope = textAt(parameters, "scope") ?? "";
  const namespace = textAt(parameters, "namespace");
  const isNamespaced = scope === "Namespace";
  return [
    ...validateReference(parameters, path),
    ...(scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
    ...(isNamespaced && namespace === undefined
      ? [required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(isNamespaced && namespace !== undefined ? hold(checkLabel, namespace, `${path}.namespace`) : []),
    ...(scope === "Cluster" && namespace !== undefined
      ? [forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}
