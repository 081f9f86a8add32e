import type { CelObject, CelOpaque, CelValue } from "../../cel/cel-value.ts";
import { CelError, isKind } from "../../cel/cel-value.ts";
import { boolType, stringType } from "../../cel/cel-type.ts";
import type { CelType } from "../../cel/cel-type.ts";
import { extendLibrary } from "../../cel/library.ts";
import type { Declaration, Library } from "../../cel/overload.ts";
import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import type { Authorizer, Decision, UserInfo } from "../auth/auth.ts";
import { serviceAccountUser } from "../auth/service-account-token.ts";
import { authorizerType, resourceCheckType } from "./policy-environment.ts";

const prefix = "kubernetes.authorization.";
const opaque = (name: string): CelType => ({ kind: "opaque", name: `${prefix}${name}` });
const pathCheckType = opaque("PathCheck");
const groupCheckType = opaque("GroupCheck");
const decisionType = opaque("Decision");
/** What a check costs, as kube-apiserver counts it. */
const checkCost = 350_000;

/** What an expression has asked for so far. */
interface Question {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The resource that a request is about. */
export interface RequestResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The variable `authorizer`, asking on behalf of a user. */
export function authorizerValue(authorizer: Authorizer, user: UserInfo, request: RequestResource): CelObject {
  const start: Question = { authorizer, user };
  return {
    kind: "object",
    typeName: `${prefix}Authorizer`,
    fields: ["requestResource"],
    get: (field) =>
      field === "requestResource"
        ? wrap("ResourceCheck", { ...start, ...request })
        : field === ""
          ? wrap("", start)
          : undefined,
  };
}

/** The functions of Kubernetes, and those of `authorizer`. Source: k8s.io/apiserver, cel/library/authz.go. */
export const policyLibrary: Library = extendLibrary([
  method("path", [authorizerType, stringType], pathCheckType, (on, path) =>
    wrap("PathCheck", { ...questionOf(on), path: presentText(path, "path") }),
  ),
  method("group", [authorizerType, stringType], groupCheckType, (on, group) =>
    wrap("GroupCheck", { ...questionOf(on), group: textOf(group) }),
  ),
  method("serviceAccount", [authorizerType, stringType, stringType], authorizerType, (on, namespace, name) => {
    const { authorizer } = questionOf(on);
    if (checkSubdomain(textOf(name)).length > 0) throw new CelError("Invalid service account name");
    if (checkLabel(textOf(namespace)).length > 0) throw new CelError("Invalid service account namespace");
    const user = serviceAccountUser({ namespace: textOf(namespace), name: textOf(name), uid: "" });
    return authorizerValue(authorizer, user, { group: "", resource: "" });
  }),
  method("resource", [groupCheckType, stringType], resourceCheckType, (on, resource) =>
    wrap("ResourceCheck", { ...questionOf(on), resource: presentText(resource, "resource") }),
  ),
  ...(["subresource", "namespace", "name"] as const).map((field) =>
    method(field, [resourceCheckType, stringType], resourceCheckType, (on, value) =>
      wrap("ResourceCheck", { ...questionOf(on), [field]: textOf(value) }),
    ),
  ),
  // RBAC knows no selectors: they narrow nothing, as with kube-apiserver's RBAC.
  ...(["fieldSelector", "labelSelector"] as const).map((name) =>
    method(name, [resourceCheckType, stringType], resourceCheckType, (on) => on),
  ),
  check(pathCheckType),
  check(resourceCheckType),
  method("allowed", [decisionType], boolType, (on) => decisionOf(on).isAllowed),
  method("reason", [decisionType], stringType, (on) => decisionOf(on).reason),
  method("errored", [decisionType], boolType, () => false),
  method("error", [decisionType], stringType, () => ""),
]);

function method(
  name: string,
  parameters: readonly CelType[],
  result: CelType,
  run: (on: CelValue, ...values: CelValue[]) => CelValue,
): Declaration {
  return {
    key: `.${name}`,
    overload: { parameters, result, run: (...values) => run(values[0] ?? null, ...values.slice(1)) },
  };
}

function check(on: CelType): Declaration {
  const { key, overload } = method("check", [on, stringType], decisionType, (value, verb) =>
    decide(value, textOf(verb)),
  );
  return { key, overload: { ...overload, cost: () => checkCost } };
}

function decide(on: CelValue, verb: string): CelValue {
  const { authorizer, user, path, group = "", resource = "", subresource, namespace, name } = questionOf(on);
  if (path !== undefined) return wrap("Decision", authorizer.authorize({ kind: "path", user, verb, path }));
  const decision = authorizer.authorize({
    kind: "resource",
    user,
    verb,
    group,
    version: "*",
    resource,
    ...(subresource === undefined || subresource === "" ? {} : { subresource }),
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
    ...(name === undefined || name === "" ? {} : { name }),
  });
  return wrap("Decision", decision);
}

function wrap(name: string, payload: Question | Decision): CelOpaque {
  return { kind: "opaque", typeName: `${prefix}${name}`, payload, equals: (other) => other.payload === payload };
}

function questionOf(value: CelValue): Question {
  // The variable itself keeps its question in a field that no expression can name.
  const holder = isKind(value, "object") ? (value.get("") ?? null) : value;
  if (isKind(holder, "opaque") && isQuestion(holder.payload)) return holder.payload;
  throw new TypeError("the checker let something through that is no authorizer");
}

function decisionOf(value: CelValue): Decision {
  if (isKind(value, "opaque") && isDecision(value.payload)) return value.payload;
  throw new TypeError("the checker let something through that is no decision");
}

function isQuestion(payload: unknown): payload is Question {
  return typeof payload === "object" && payload !== null && "authorizer" in payload;
}

function isDecision(payload: unknown): payload is Decision {
  return typeof payload === "object" && payload !== null && "isAllowed" in payload;
}

function textOf(value: CelValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function presentText(value: CelValue | undefined, what: string): string {
  const text = textOf(value);
  if (text.trim() === "") throw new CelError(`${what} must not be empty`);
  return text;
}
