import { AppError } from "../../core/errors.ts";
import { printableYaml } from "../../core/yaml/printable-yaml.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { InstallAddress } from "../../model/install-address.ts";
import {
  installKeyBytes,
  installPathOf,
  installSecret,
  installSecretLabel,
  isInstallOver,
} from "../../model/install-address.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers } from "../../model/well-known.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import type { PlainContext } from "./command-context.ts";
import { withHubOf } from "./connect-cluster.ts";
import { findToken } from "./join-values.ts";

/**
 * Keeps an install manifest on the hub for the daemon to serve once, and prints its address. Remains of earlier
 * addresses of the workspace are deleted.
 * @throws E_USAGE, E_KUBECONFIG, E_KUBE_NOT_FOUND and errors of the API server
 */
export async function printInstallAddress(context: PlainContext, objects: readonly KubeObject[]): Promise<number> {
  const { settings, environment, stdout, signal } = context;
  const base = readBase(settings.requiredText("install-url"));
  const manifest = objects.map((object) => printableYaml(object)).join("---\n");
  const path = await withHubOf(settings.requiredText("hub-kubeconfig"), environment, async (hubApi) => {
    const token = await findToken(hubApi, settings.requiredText("from-hub"), signal);
    const { namespace: workspace = "", name, uid = "" } = token.metadata;
    const key = Buffer.from(realRandom.bytes(installKeyBytes)).toString("base64url");
    const address: InstallAddress = { workspace, key };
    const type = resourceTypes.clusterRegistrationToken;
    const owner = { apiVersion: apiVersionOf(type), kind: type.kind, name, uid };
    await deleteOver(hubApi, workspace, signal);
    await hubApi.create(installSecret(address, manifest, owner), { fieldManager: fieldManagers.operator, signal });
    return installPathOf(address);
  });
  stdout.write(`kubectl apply -f ${base}${path}\n`);
  return 0;
}

/** The address without the slash at its end; a password in an address of http would be read on its way. */
function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const hasMore = url !== undefined && url.username + url.password + url.search + url.hash !== "";
  if (url === undefined || hasMore || (url.protocol !== "https:" && !isLocal))
    throw new AppError("E_USAGE", "--install-url is no address of https; http is for this machine alone");
  return url.href.replace(/\/$/u, "");
}

async function deleteOver(hubApi: KubeApi, namespace: string, signal: AbortSignal): Promise<void> {
  const type = resourceTypes.secret;
  const { items } = await hubApi.list(type, { namespace, labelSelector: `${installSecretLabel}=true`, signal });
  for (const secret of items.filter((item) => isInstallOver(item, realClock.nowMs()))) {
    const { name, uid } = secret.metadata;
    await hubApi.delete({ type, namespace, name }, { ...(uid === undefined ? {} : { uid }), signal });
  }
}
