import { textAt } from "../core/read-json.ts";
import type { HubFacts, Member } from "../model/member.ts";

/** Address and certificates of the hub, as an agent uses them. */
export type AgentEndpoint = HubFacts["endpoint"];

/**
 * The address that the agent of a member uses: the one that its file declares, otherwise the one that Fleet's users
 * write beside the kubeconfig in its Secret (`apiServerURL`, `apiServerCA`), otherwise the hub's usual address.
 */
export function agentEndpoint(
  { cluster, kubeconfigSecret }: Member,
  { endpoint }: Pick<HubFacts, "endpoint">,
): AgentEndpoint {
  const { hubEndpoint, protocol } = cluster.spec ?? {};
  if (hubEndpoint !== undefined) return { url: hubEndpoint.url, caBundle: hubEndpoint.caBundle ?? endpoint.caBundle };
  if (protocol !== "fleet") return endpoint;
  const read = (key: string): string =>
    Buffer.from(textAt(kubeconfigSecret, "data", key) ?? "", "base64")
      .toString("utf8")
      .trim();
  const [url, caBundle] = [read("apiServerURL"), read("apiServerCA")];
  // An agent leaves its token out of requests by plain http. The certificates beside such an address are not of the usual one.
  if (url !== "" && !url.startsWith("https://")) return endpoint;
  return { url: url || endpoint.url, caBundle: caBundle || endpoint.caBundle };
}
