import { rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { StatusWrite } from "../../join.ts";
import { proofKeyOf, valuesSecretOf } from "./token-values.ts";

/** The whole status of a token: its conditions, when it ends, who joined by it. */
export function tokenStatusWrite(subject: TokenSubject, members: MemberIndex, hub: HubFacts): StatusWrite {
  const secret = valuesSecretOf(subject);
  const credentialExpires = secret?.metadata.annotations?.[rollcallAnnotations.credentialExpires];
  const values = {
    hasSecret: secret !== undefined,
    isComplete: proofKeyOf(secret) !== undefined,
    ...(credentialExpires === undefined || credentialExpires === "never" ? {} : { credentialExpires }),
  };
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace: subject.workspace, name: subject.name };
  return { ref, status: { ...tokenStatus({ subject, members, hub, values }) } };
}
