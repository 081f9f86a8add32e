import { isAppError } from "../core/errors.ts";
import { parseJson } from "../core/parse-json.ts";
import { objectAt, textAt } from "../core/read-json.ts";
import type { HubIdentity } from "../hub/trust-key.ts";
import { keyDigest } from "../join/rollcall/messages.ts";
import { openHubInfo } from "../join/rollcall/signed-hub-info.ts";
import type { KubeApi } from "../kube/kube.ts";
import { hubInfoName, publicNamespace } from "../model/dialects/rollcall.ts";
import type { HubFacts } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";

type Endpoint = HubFacts["endpoint"];

/**
 * The last endpoint that agents received; undefined where none is known. It is that of the hub's public info, or else of a
 * report. A report is an object of a workspace, whose administrators may not send all agents elsewhere: it counts only if
 * the present trust key signed it.
 */
export async function announcedEndpoint(
  hubApi: Pick<KubeApi, "get" | "list">,
  identity: HubIdentity,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const ref = { type: resourceTypes.configMap, namespace: publicNamespace, name: hubInfoName };
  const published = parseJson(textAt(await hubApi.get(ref, { signal }), "data", "signed") ?? "");
  // From before a replacement of the trust key it has the same addresses, but another signature. Only a daemon writes there.
  const found = endpointIn(published, identity, { isFromHub: true });
  if (found !== undefined) return found;
  const { items } = await hubApi.list(resourceTypes.clusterReport, { labelSelector: labelKeys.cluster, signal });
  for (const report of items) {
    const endpoint = endpointIn(objectAt(report, "status", "hubInfo"), identity, { isFromHub: false });
    if (endpoint !== undefined) return endpoint;
  }
  return undefined;
}

function endpointIn(
  signed: unknown,
  { hubId, trust }: HubIdentity,
  options: { readonly isFromHub: boolean },
): Endpoint | undefined {
  const [payload, signature] = [textAt(signed, "payload"), textAt(signed, "signature")];
  if (payload === undefined || signature === undefined) return undefined;
  const number = options.isFromHub ? 0 : (trust.succession?.number ?? 1);
  const anchor = { hubId, trustKey: { digest: keyDigest(trust.publicKey), number } };
  try {
    return openHubInfo({ payload, signature }, anchor, options).endpoints[0];
  } catch (error) {
    if (isAppError(error, "E_HUB_INFO")) return undefined;
    throw error;
  }
}
