import { cleanRemoteText, cleanRemoteValue } from "../core/remote-text.ts";
import type { JoinProtocol, MemberFacts } from "../join/join.ts";
import type { HubFacts, Member } from "../model/member.ts";

const options = { secrets: [], maximumLength: 1021 };
/** As long as the definition allows. */
const urlOptions = { secrets: [], maximumLength: 2048 };
/** As the API of conditions wants it. Source: Kubernetes API, meta/v1 Condition. */
const validReason = /^[A-Za-z]([\w,:]{0,254}\w)?$/u;

/**
 * What the agent of a member reports, as a status, an Event, a log and a commit may contain it: each text printable and of
 * bounded length, and without what resembles a token. A reason that is none becomes `AgentReports`. Credentials are not
 * searched for by value: that costs a millisecond a text, for each member.
 */
export function readReportedFacts(protocol: JoinProtocol, member: Member, hub: HubFacts): MemberFacts {
  const { status, health, credentials, agent, ...facts } = protocol.factsOf(member, hub);
  const clean = <T extends { readonly reason: string; readonly message: string }>(condition: T): T => ({
    ...condition,
    reason: validReason.test(condition.reason) ? condition.reason : "AgentReports",
    message: cleanRemoteText(condition.message, options),
  });
  return {
    ...facts,
    health: health && clean(health),
    credentials: clean(credentials),
    agent: clean(agent),
    status: cleanStatus(status),
  };
}

/** A URL that a text was taken from is none any more, and an API server refuses the whole status with it. */
function cleanStatus({ apiServer, ...status }: MemberFacts["status"]): MemberFacts["status"] {
  const isClean = apiServer?.url === undefined || cleanRemoteText(apiServer.url, urlOptions) === apiServer.url;
  return { ...cleanRemoteValue(status, options), ...(apiServer === undefined || !isClean ? {} : { apiServer }) };
}
