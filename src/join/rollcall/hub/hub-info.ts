import type { HubFacts, Member } from "../../../model/member.ts";
import type { Signed } from "../../../model/generated/signed.ts";
import type { HubAddress } from "../messages.ts";
import { signHubInfo } from "../messages.ts";

/** What this member's agent dials: its Cluster's endpoint, else the hub's, then those that are announced. */
export function endpointsOf(member: Member | undefined, hub: HubFacts): readonly HubAddress[] {
  const own = member?.cluster.spec?.hubEndpoint;
  const { url, caBundle } = hub.endpoint;
  const usual = [{ url, caBundle }, ...(hub.alternateEndpoints ?? [])];
  return own === undefined ? usual : [{ url: own.url, caBundle: own.caBundle ?? caBundle }];
}

/** The hub's signed info for one member, or (without one) for everybody. */
export function signedHubInfo(hub: HubFacts, member?: Member): Signed {
  const { publicKey, validFrom, epoch } = hub.trust;
  const info = { hubId: hub.hubId, trustKey: publicKey, endpoints: endpointsOf(member, hub), validFrom, epoch };
  return signHubInfo(info, (payload) => hub.trust.sign(payload));
}
