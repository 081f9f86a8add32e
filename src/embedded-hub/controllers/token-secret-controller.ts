import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { signJwt } from "../auth/jwt.ts";
import type { TokenKey } from "../auth/jwt.ts";
import { legacyClaims } from "../auth/legacy-token.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

interface Parts {
  readonly writer: HubWriter;
  readonly caBundle: string;
  readonly key: TokenKey;
}

/**
 * Fills Secrets of type service-account-token, and deletes them with their account.
 * Source: Kubernetes, pkg/controller/serviceaccount/tokens_controller.go.
 */
export function startTokenSecretController(
  scope: ControllerScope,
  options: { readonly caBundle: string; readonly key: TokenKey },
): Controller {
  const parts: Parts = { writer: hubWriter(scope.operations, "tokens-controller"), ...options };
  const secretsOf = new Map<string, Set<string>>();
  const queue = controllerQueue({
    scope,
    name: "token-secret",
    concurrency: 4,
    work: (key) => fillSecret(parts, splitQueueKey(key)),
  });
  const forgotten = controllerQueue({ scope, name: "token-reference", work: (key) => dropReference(parts, key) });

  const forget = (account: string, name: string): void => {
    const names = secretsOf.get(account);
    names?.delete(name);
    if (names?.size === 0) secretsOf.delete(account);
  };
  scope.feed.on("", "secrets", (event) => {
    if (!event.mentions(tokenType)) return;
    const { kind, object, previous } = event;
    if (object["type"] !== tokenType) return;
    const { name } = object.metadata;
    const account = accountKeyOf(object);
    forget(accountKeyOf(previous ?? object), name);
    if (kind === "deleted") forgotten.add(`${account}/${name}`);
    else {
      secretsOf.set(account, (secretsOf.get(account) ?? new Set()).add(name));
      queue.add(queueKeyOf(object));
    }
  });
  scope.feed.on("", "serviceaccounts", ({ object }) => {
    const { namespace = "", name } = object.metadata;
    for (const secret of secretsOf.get(`${namespace}/${name}`) ?? []) queue.add(`${namespace}/${secret}`);
  });
  return {
    stop: async () => {
      await Promise.all([queue.stop(), forgotten.stop()]);
    },
  };
}

async function fillSecret(
  { writer, caBundle, key }: Parts,
  place: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const secret = writer.get("", "secrets", place);
  if (secret?.["type"] !== tokenType) return;
  const { annotations = {} } = secret.metadata;
  const name = annotations[nameAnnotation] ?? "";
  if (name === "") return;
  const account = writer.get("", "serviceaccounts", { namespace: place.namespace, name });
  const uid = annotations[uidAnnotation] ?? "";
  if (account === undefined || (uid !== "" && uid !== account.metadata.uid)) {
    await writer.remove(secret);
    return;
  }
  const data = objectAt(secret, "data") ?? {};
  const filled = {
    ...data,
    "ca.crt": base64(caBundle),
    namespace: (textAt(data, "namespace") ?? "") === "" ? base64(place.namespace) : data["namespace"],
    token:
      (textAt(data, "token") ?? "") === "" ? base64(signJwt(legacyClaims(account, place.name), key)) : data["token"],
  };
  const isFilled = (["ca.crt", "namespace", "token"] as const).every((field) => data[field] === filled[field]);
  if (isFilled) return;
  await writer.update({
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...annotations, [nameAnnotation]: name, [uidAnnotation]: account.metadata.uid ?? "" },
    },
    data: filled,
  });
}

/** An account's list of Secrets must not name a deleted one. Old clients still write that list. */
async function dropReference({ writer }: Parts, key: string): Promise<void> {
  const [namespace = "", name = "", secret = ""] = key.split("/");
  if (writer.get("", "secrets", { namespace, name: secret }) !== undefined) return;
  const account = writer.get("", "serviceaccounts", { namespace, name });
  const references = objectsAt(account, "secrets");
  if (account === undefined || !references.some((reference) => reference["name"] === secret)) return;
  const { secrets: _old, ...rest } = account;
  const kept = references.filter((reference) => reference["name"] !== secret);
  await writer.update({ ...rest, ...(kept.length === 0 ? {} : { secrets: kept }) });
}

function accountKeyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.annotations?.[nameAnnotation] ?? ""}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
