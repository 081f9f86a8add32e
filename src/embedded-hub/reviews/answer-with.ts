import { appendAll } from "../../core/append-all.ts";
import type { Clock } from "../../core/clock.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { recordUpdate } from "../apply/server-side-apply.ts";
import { badRequest } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { Admission } from "../operations/admission.ts";
import type { Answer, OperationContext } from "../operations/operations.ts";
import { completeBuiltIn } from "../types/defaults.ts";
import { decodeBuiltIn } from "../types/decode-built-in.ts";
import { schemaOf } from "../types/schema-of.ts";
import { messageTypeOfKind } from "../types/type-registry.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { decodingProblems } from "../verbs/decoding-problems.ts";
import { withRequestNamespace } from "../verbs/request-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

export interface AnswerScope {
  readonly type: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    /** Versions that are not served, of which a body is taken all the same: older clients send them. Default: none. */
    readonly olderVersions?: readonly string[];
  };
  readonly clock: Clock;
  /** What may refuse it. Absent for reviews: no policy can hold questions about rights. */
  readonly admission?: Admission;
}

export interface Asked {
  readonly context: OperationContext;
  readonly target: Parameters<Answer>[1];
  /** Decoded; only the fields of its kind. */
  readonly object: KubeObject;
}

/** Versions that kube-apiserver can read and does not serve. */
const betaKinds: ReadonlySet<string> = new Set([
  "authentication.k8s.io/v1alpha1/SelfSubjectReview",
  ...["SelfSubjectReview", "TokenReview"].map((kind) => `authentication.k8s.io/v1beta1/${kind}`),
  ...["SelfSubjectAccessReview", "SubjectAccessReview", "LocalSubjectAccessReview", "SelfSubjectRulesReview"].map(
    (kind) => `authorization.k8s.io/v1beta1/${kind}`,
  ),
]);

/** Kinds whose answers are new objects, which bear nothing of what was sent. */
const madeAnew: ReadonlySet<string> = new Set(["SelfSubjectReview", "SelfSubjectRulesReview"]);

/**
 * Makes an answer of a function of the decoded body. As kube-apiserver does, what comes back bears managed fields for
 * what the client sent. Throws 400 when the body is not of the kind, and what admission refuses it with.
 */
export function answerWith(scope: AnswerScope): (answer: (asked: Asked) => KubeObject | Promise<KubeObject>) => Answer {
  return (answer) => async (context, target, body) => {
    const object = withRequestNamespace(decode(scope, context, body), target.namespace);
    await admit(scope, context, { target, object });
    const answered = await answer({ context, target, object });
    if (answered.kind !== scope.type.kind || madeAnew.has(scope.type.kind)) return answered;
    return withManager(scope, context, { object, answered, subresource: target.subresource });
  };
}

async function admit(
  { admission }: AnswerScope,
  context: OperationContext,
  { target, object }: Omit<Asked, "context">,
): Promise<void> {
  if (admission === undefined) return;
  const { definition, namespace, subresource, name = object.metadata.name ?? "" } = target;
  const { user, isDryRun, warnings, annotate } = context;
  const request = {
    operation: "CREATE",
    ...{ definition, name, user, isDryRun, warnings, object },
    options: writeOptions("CreateOptions", context),
    ...(annotate === undefined ? {} : { annotate }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(subresource === undefined ? {} : { subresource }),
  } as const;
  await admission.mutate(request);
  await admission.validate(request);
}

function decode({ type }: AnswerScope, context: OperationContext, body: KubeObject): KubeObject {
  const { group, version, kind, olderVersions = [] } = type;
  const expected = apiVersionOf(type);
  const isOlder = olderVersions.some((older) => body.apiVersion === `${group}/${older}`);
  if (body.kind !== kind || (body.apiVersion !== expected && !isOlder)) {
    const slash = body.apiVersion.indexOf("/");
    const sentGroup = body.apiVersion.slice(0, Math.max(slash, 0));
    const sent = body.apiVersion.slice(slash + 1);
    if (body.kind === kind && betaKinds.has(`${body.apiVersion}/${kind}`)) {
      const versions = `the API version in the data (${body.apiVersion}) does not match the expected API version (${expected})`;
      throw badRequest(versions);
    }
    const reason =
      messageTypeOfKind(sentGroup, sent, body.kind) === undefined
        ? `no kind ${JSON.stringify(body.kind)} is registered for version ${JSON.stringify(body.apiVersion)} in scheme "pkg/runtime/scheme.go:110"`
        : `converting (${sent}.${body.kind}) to (${group === "" ? "core" : (group.split(".")[0] ?? "")}.${kind}): unknown conversion`;
    throw badRequest(`${body.kind} in version ${JSON.stringify(sent)} cannot be handled as a ${kind}: ${reason}`);
  }
  const message = messageTypeOfKind(group, version, kind);
  if (message === undefined) return body;
  const { object, unknownFields, error } = decodeBuiltIn(
    message,
    { ...asJson(body), apiVersion: expected },
    { literals: context.numberLiterals },
  );
  const sentVersion = body.apiVersion.slice(body.apiVersion.indexOf("/") + 1);
  const place = `${kind} in version ${JSON.stringify(sentVersion)} cannot be handled as a ${kind}`;
  if (error !== undefined) throw badRequest(`${place}: ${error}`);
  const problems = decodingProblems(context, unknownFields);
  if (problems.length > 0 && context.fieldValidation === "Strict") {
    throw badRequest(`${place}: strict decoding error: ${problems.join(", ")}`);
  }
  if (context.fieldValidation === "Warn") appendAll(context.warnings, problems);
  return asKubeObject({ kind, apiVersion: expected, metadata: {}, ...object });
}

function withManager(
  { type, clock }: AnswerScope,
  context: OperationContext,
  made: { readonly object: KubeObject; readonly answered: KubeObject; readonly subresource: string | undefined },
): KubeObject {
  const { object, answered, subresource } = made;
  const schema = schemaOf(type.group, type.version, type.kind);
  const message = messageTypeOfKind(type.group, type.version, type.kind);
  if (schema === undefined || message === undefined) return answered;
  const { apiVersion, kind } = answered;
  const tracked = recordUpdate(
    {
      apiVersion,
      kind,
      schema,
      schemaOfVersion: () => schema,
      emptyObject: decodeBuiltIn(message, { apiVersion, kind }).object,
      time: formatTime(clock.nowMs()),
      ...(subresource === undefined ? {} : { subresource }),
    },
    { before: undefined, after: completeBuiltIn(message, asJson(object)), manager: context.fieldManager },
  );
  const { managedFields } = asKubeObject(tracked).metadata;
  if (managedFields === undefined) return answered;
  return { ...answered, metadata: { ...answered.metadata, managedFields } };
}
