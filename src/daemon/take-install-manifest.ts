import { timingSafeEqual } from "node:crypto";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { InstallAddress } from "../model/install-address.ts";
import {
  installKeyDigest,
  installSecretName,
  installSecretType,
  installUsedAnnotation,
  isInstallOver,
} from "../model/install-address.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";

/**
 * The install manifest of an address, and the end of that address. Of several requests at once, on several replicas too, one
 * gets the manifest: the Secret is marked as used at the version that was read. Undefined: the address is wrong, used or too old.
 * @throws what the API server answers
 */
export async function takeInstallManifest(
  { hubApi, log, nowMs }: { readonly hubApi: KubeApi; readonly log: Log; readonly nowMs: () => number },
  address: InstallAddress,
): Promise<string | undefined> {
  const ref = { type: resourceTypes.secret, namespace: address.workspace, name: installSecretName(address) };
  // The daemon may list the Secrets of a workspace, and get none.
  const { items } = await hubApi.list(ref.type, {
    namespace: ref.namespace,
    fieldSelector: `metadata.name=${ref.name}`,
  });
  const [secret] = items;
  if (
    secret?.["type"] !== installSecretType ||
    !isEqual(decode(textAt(secret, "data", "digest")), installKeyDigest(address))
  )
    return undefined;
  const { resourceVersion = "", uid = "" } = secret.metadata;
  const isOver = isInstallOver(secret, nowMs());
  if (!isOver) {
    const metadata = { uid, resourceVersion, annotations: { [installUsedAnnotation]: toTime(nowMs()) } };
    try {
      await hubApi.mergePatch(ref, { metadata }, { fieldManager: fieldManagers.hub });
    } catch (error) {
      if (isAppError(error, "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND")) return undefined;
      throw error;
    }
  }
  await deleteUsed(hubApi, { ref, uid, log });
  if (isOver) return undefined;
  log.info("an install manifest was handed out", { workspace: address.workspace, secret: ref.name });
  return decode(textAt(secret, "data", "manifest"));
}

/** A remaining one is marked as used, or is too old: it is not served. */
async function deleteUsed(
  hubApi: KubeApi,
  { ref, uid, log }: { readonly ref: Parameters<KubeApi["delete"]>[0]; readonly uid: string; readonly log: Log },
): Promise<void> {
  try {
    await hubApi.delete(ref, { uid });
  } catch (error) {
    log.warn("a used install manifest could not be deleted", { secret: ref.name, error });
  }
}

function decode(data: string | undefined): string {
  return Buffer.from(data ?? "", "base64").toString("utf8");
}

/** In constant time for texts of the same length; the length of a digest is no secret. */
function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "utf8"), Buffer.from(right, "utf8")];
  return a.length === b.length && timingSafeEqual(a, b);
}
