import { parseGoBool } from "../../core/formats/go-bool.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { mountableSecretsAnnotation } from "../validation/validate-service-account.ts";

const listsOfContainers = [
  ["initContainers", "init container"],
  ["containers", "container"],
] as const;

/**
 * Why a new Pod may not have the Secrets that it names: its account lets Pods use only its own ones. Undefined: it may.
 * Source: Kubernetes, plugin/pkg/admission/serviceaccount limitSecretReferences.
 */
export function refusedSecret(pod: KubeObject, account: KubeObject): string | undefined {
  if (!isLimited(account)) return undefined;
  const { name } = account.metadata;
  const names = namesIn(account, "secrets");
  for (const volume of objectsAt(pod, "spec", "volumes")) {
    const secret = objectAt(volume, "secret");
    const secretName = textAt(secret, "secretName") ?? "";
    if (secret === undefined || names.has(secretName)) continue;
    return `volume with secret.secretName="${secretName}" is not allowed because service account ${name} does not reference that secret`;
  }
  for (const [field, words] of listsOfContainers) {
    const refused = secretOfContainers(objectsAt(pod, "spec", field), words, { name, names });
    if (refused !== undefined) return refused;
  }
  const pullNames = namesIn(account, "imagePullSecrets");
  const pulled = objectsAt(pod, "spec", "imagePullSecrets").map((secret) => textAt(secret, "name") ?? "");
  const index = pulled.findIndex((one) => !pullNames.has(one));
  if (index < 0) return undefined;
  return `imagePullSecrets[${index}].name="${pulled[index] ?? ""}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

/** The same of the ephemeral containers that a Pod gets. */
export function refusedDebugSecret(pod: KubeObject, account: KubeObject): string | undefined {
  if (!isLimited(account)) return undefined;
  const { name } = account.metadata;
  const allowed = { name, names: namesIn(account, "secrets") };
  return secretOfContainers(objectsAt(pod, "spec", "ephemeralContainers"), "ephemeral container", allowed);
}

function isLimited({ metadata }: KubeObject): boolean {
  return parseGoBool(metadata.annotations?.[mountableSecretsAnnotation] ?? "") === true;
}

function namesIn(account: KubeObject, field: string): ReadonlySet<string> {
  return new Set(objectsAt(account, field).map((reference) => textAt(reference, "name") ?? ""));
}

function secretOfContainers(
  containers: readonly JsonObject[],
  words: string,
  { name, names }: { readonly name: string; readonly names: ReadonlySet<string> },
): string | undefined {
  for (const container of containers) {
    for (const { what, secretName } of secretsOf(container)) {
      if (names.has(secretName)) continue;
      return `${words} ${textAt(container, "name") ?? ""} with ${what} referencing secret.secretName="${secretName}" is not allowed because service account ${name} does not reference that secret`;
    }
  }
  return undefined;
}

/** The Secrets that the environment of a container names, and by what. */
export function secretsOf(container: JsonObject): { readonly what: string; readonly secretName: string }[] {
  const named = (what: string, reference: JsonObject | undefined) =>
    reference === undefined ? [] : [{ what, secretName: textAt(reference, "name") ?? "" }];
  return [
    ...objectsAt(container, "env").flatMap((item) =>
      named(`envVar ${textAt(item, "name") ?? ""}`, objectAt(item, "valueFrom", "secretKeyRef")),
    ),
    ...objectsAt(container, "envFrom").flatMap((item) => named("envFrom", objectAt(item, "secretRef"))),
  ];
}
