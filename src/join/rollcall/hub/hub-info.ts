import { memoizeWeak } from "../../../core/memoize-weak.ts";
import type { HubFacts, Member, TrustKey } from "../../../model/member.ts";
import type { Signed } from "../../../model/generated/signed.ts";
import type { HubAddress } from "../signed-hub-info.ts";
import { signHubInfo } from "../signed-hub-info.ts";

/** What this member's agent dials: its Cluster's endpoint, else the hub's, then those that are announced. */
export function endpointsOf(member: Member | undefined, hub: HubFacts): readonly HubAddress[] {
  const own = member?.cluster.spec?.hubEndpoint;
  const { url, caBundle } = hub.endpoint;
  const usual = [{ url, caBundle }, ...(hub.alternateEndpoints ?? [])];
  return own === undefined ? usual : [{ url: own.url, caBundle: own.caBundle ?? caBundle }];
}

/** The hub's signed info for one member, or (without one) for all. */
export function signedHubInfo(hub: HubFacts, member?: Member): Signed {
  return signOnce(hub.trust, hub.hubId, JSON.stringify(endpointsOf(member, hub)));
}

/** The same for nearly every member, and sent to each of them repeatedly. */
const signOnce = memoizeWeak((trust: TrustKey, hubId: string, endpointsText: string): Signed => {
  const { publicKey, validFrom, epoch, succession } = trust;
  const endpoints = JSON.parse(endpointsText) as HubAddress[];
  const info = { hubId, trustKey: publicKey, ...(succession ? { succession } : {}), endpoints, validFrom, epoch };
  return signHubInfo(info, (payload) => trust.sign(payload));
});
