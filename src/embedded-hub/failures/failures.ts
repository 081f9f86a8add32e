// The failures of the verbs, with the messages of kube-apiserver. Source: Kubernetes, apimachinery api/errors.
import type { FieldError } from "../schema/schema.ts";
import { ApiFailure } from "./api-failure.ts";

/** What a failure is about: `configmaps` in group "" named `x`. */
export interface FailureSubject {
  readonly group: string;
  readonly plural: string;
  readonly name: string;
}

/** What an invalid object is: its kind, not its resource. */
export interface InvalidSubject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export function notFound(subject: FailureSubject): ApiFailure {
  return new ApiFailure(404, "NotFound", `${describe(subject)} not found`, { details: detailsOf(subject) });
}

export function alreadyExists(subject: FailureSubject): ApiFailure {
  return new ApiFailure(409, "AlreadyExists", `${describe(subject)} already exists`, { details: detailsOf(subject) });
}

/** `reason` is the sentence after the colon. */
export function conflict(subject: FailureSubject, reason: string): ApiFailure {
  return new ApiFailure(409, "Conflict", `Operation cannot be fulfilled on ${describe(subject)}: ${reason}`, {
    details: detailsOf(subject),
  });
}

/** Where kube-apiserver keeps kinds that had other names once. Source: pkg/kubeapiserver/default_storage_factory_builder.go. */
const registryNames: ReadonlyMap<string, string> = new Map([
  ["/endpoints", "services/endpoints"],
  ["/nodes", "minions"],
  ["/replicationcontrollers", "controllers"],
  ["/services", "services/specs"],
  ["networking.k8s.io/ingresses", "ingress"],
]);

/** Of a precondition. kube-apiserver passes on the text of its storage; `/registry` is where it keeps things. */
export function storageError(
  { group, plural, isCustom = false }: { readonly group: string; readonly plural: string; readonly isCustom?: boolean },
  path: string,
  text: string,
): string {
  const hasGroup = isCustom || group === "apiextensions.k8s.io";
  const place = hasGroup ? `${group}/${plural}` : (registryNames.get(`${group}/${plural}`) ?? plural);
  const key = `/registry/${place}/${path}`.replaceAll("//", "/");
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${text}`;
}

export function objectModified(subject: FailureSubject): ApiFailure {
  return conflict(
    subject,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

export function forbidden(subject: FailureSubject, reason: string): ApiFailure {
  const text = subject.plural === "" ? `forbidden: ${reason}` : `${describe(subject)} is forbidden: ${reason}`;
  return new ApiFailure(403, "Forbidden", text, { details: detailsOf(subject) });
}

/** An answer that names each of 40,000 problems would be thirty times as long as the request. */
const mostProblems = 1_000;

/** Thousands of problems may name one large value, each of them: beyond so many characters only the first one is named. */
const longestProblems = 4 * 1024 ** 2;

/** Names the first 1,000 problems, and how many more there are; kube-apiserver names all. */
export function invalid(subject: InvalidSubject, errors: readonly FieldError[]): ApiFailure {
  const kind = subject.group === "" ? subject.kind : `${subject.kind}.${subject.group}`;
  const named = firstOf(errors);
  const texts = [...new Set(named.map((error) => `${error.field}: ${error.message}`))];
  if (named.length < errors.length) texts.push(`and ${errors.length - named.length} more problems`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiFailure(422, "Invalid", `${kind} ${JSON.stringify(subject.name)} is invalid: ${list}`, {
    details: {
      ...(subject.name === "" ? {} : { name: subject.name }),
      ...(subject.group === "" ? {} : { group: subject.group }),
      ...(subject.kind === "" ? {} : { kind: subject.kind }),
      causes: named.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

function firstOf(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0;
  const end = errors.slice(0, mostProblems).findIndex(({ field, message }, index) => {
    length += field.length + message.length;
    return index > 0 && length > longestProblems;
  });
  return errors.slice(0, end < 0 ? mostProblems : end);
}

/** As kube-apiserver's flow control refuses; clients try again after `retryAfterSeconds`. */
export function tooManyRequests(retryAfterSeconds: number): ApiFailure {
  const message = "The server is currently handling too many requests, please try again later";
  return new ApiFailure(429, "TooManyRequests", message, { details: { retryAfterSeconds } });
}

export function badRequest(message: string): ApiFailure {
  return new ApiFailure(400, "BadRequest", message);
}

/** For what is asked of one namespace, and names none. */
export function namespaceRequired(): ApiFailure {
  return badRequest("Namespace parameter required.");
}

/** The answer for a path that nothing serves. */
export function pathNotFound(): ApiFailure {
  return new PathNotFound();
}

/** True for {@link pathNotFound}, whatever message another failure has. */
export function isPathNotFound(error: unknown): boolean {
  return error instanceof PathNotFound;
}

class PathNotFound extends ApiFailure {
  constructor() {
    super(404, "NotFound", "the server could not find the requested resource", { details: {} });
  }
}

export function methodNotAllowed(): ApiFailure {
  const message = "the server does not allow this method on the requested resource";
  return new ApiFailure(405, "MethodNotAllowed", message, { details: {} });
}

/** Of a custom kind, which names the verb that its path does not have. */
export function verbNotSupported(
  { group, plural }: { readonly group: string; readonly plural: string },
  verb: string,
): ApiFailure {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(`${plural}.${group}`)}`;
  return new ApiFailure(405, "MethodNotAllowed", message, { details: { group, kind: plural } });
}

export function expired(message: string): ApiFailure {
  return new ApiFailure(410, "Expired", message);
}

export function tooLarge(message: string): ApiFailure {
  return new ApiFailure(413, "RequestEntityTooLarge", message);
}

export function internalError(message: string, cause?: unknown): ApiFailure {
  return new ApiFailure(500, "InternalError", `Internal error occurred: ${message}`, {
    cause,
    details: { causes: [{ message }] },
  });
}

/** `configmaps "x"`, `leases.coordination.k8s.io "x"`. */
function describe(subject: FailureSubject): string {
  const resource = subject.group === "" ? subject.plural : `${subject.plural}.${subject.group}`;
  return `${resource} ${JSON.stringify(subject.name)}`;
}

function detailsOf(subject: FailureSubject): { name?: string; group?: string; kind?: string } {
  return {
    ...(subject.name === "" ? {} : { name: subject.name }),
    ...(subject.group === "" ? {} : { group: subject.group }),
    ...(subject.plural === "" ? {} : { kind: subject.plural }),
  };
}
