import type { JsonObject } from "../../core/json.ts";
import type { TokenRequest } from "../../kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";

const tokenSecretType = "kubernetes.io/service-account-token";

type Read = (ref: ObjectRef) => KubeObject | undefined;

/** True of a Secret that is for a token and has none. */
export function isTokenSecret(object: KubeObject): boolean {
  return object.kind === "Secret" && object["type"] === tokenSecretType && object["data"] === undefined;
}

/** What the API server's token controller does. */
export function withToken(secret: KubeObject, read: Read): KubeObject {
  const { namespace = "", annotations = {} } = secret.metadata;
  const account = annotations["kubernetes.io/service-account.name"] ?? "";
  const request = { namespace, serviceAccount: account, expirationSeconds: 0 };
  const token = Buffer.from(unsignedToken(request, read), "utf8").toString("base64");
  return { ...secret, data: { token, namespace: Buffer.from(namespace, "utf8").toString("base64") } };
}

/** Its claims name account and Secret, as those of a real one; no server accepts it. */
export function unsignedToken({ namespace, serviceAccount, boundSecret }: TokenRequest, read: Read) {
  const account = read({ type: resourceTypes.serviceAccount, namespace, name: serviceAccount });
  const claims: JsonObject = {
    "kubernetes.io": {
      namespace,
      serviceaccount: { name: serviceAccount, uid: account?.metadata.uid },
      ...(boundSecret === undefined ? {} : { secret: { ...boundSecret } }),
    },
  };
  const encode = (part: JsonObject): string => Buffer.from(JSON.stringify(part), "utf8").toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}
