import type { Member } from "../../../model/member.ts";
import type { ExplainedRefusal } from "./registration-request.ts";

/** What a refusal is about. */
export interface RefusedRequest {
  /** The token that the agent names. */
  readonly tokenName?: string | undefined;
  /** The name that its cluster has, or would get. */
  readonly name?: string;
  /** The Clusters in its way. */
  readonly members?: readonly Member[];
}

/** Why the agent is refused, which Cluster is in its way, and what to change. For the log and the Event of its request. */
export function explainRefusal(
  reason: ExplainedRefusal,
  { tokenName, name = "", members = [] }: RefusedRequest,
): string {
  const token = tokenName === undefined ? "The token" : `Token ${tokenName}`;
  const [member] = members;
  const cluster = member === undefined ? name : `${member.workspace}/${member.name}`;
  const protocol = member?.cluster.spec?.protocol ?? "rollcall";
  switch (reason) {
    case "Malformed":
      return "The request has no name (request-…), clientID or clientRandom as Fleet's agents send them.";
    case "UnknownToken":
      return "The agent names no registration token of this workspace: install it with the values of a current one.";
    case "TokenNotNamed":
      return (
        "The agent does not name its token, and a token of this workspace has maxRegistrations: install it with " +
        "the values of a token, or propose its name as label rollcall.dev/token of the cluster."
      );
    case "TokenClosed":
      return `${token} has expired or is deleted: install the agent with the values of another one.`;
    case "TokenAmbiguous":
      return (
        `${token} has a long name, with which the name of another token begins, or is of two clusters with long names: ` +
        "give one of them a shorter name."
      );
    case "TokenNameReserved":
      return `${token} has the name of the token by which the hub installs the agent of a cluster: give it another name.`;
    case "TokenUsedUp":
      return `${token} has no registration left: raise maxRegistrations, or use another token.`;
    case "NameNotAllowed":
      return (
        `${token} does not allow the cluster name ${name}: add it to clusterNames (on Fleet's own token: the annotation ` +
        "rollcall.dev/cluster-names)."
      );
    case "NameTaken":
      return `Cluster ${cluster} is declared for another agent: set the clientID of this one in its file.`;
    case "ProtocolMismatch":
      return (
        `Cluster ${cluster} has this clientID and joins by protocol ${protocol}. To run both agents in one cluster, install ` +
        "this one with another clientID (value clientID of Fleet's chart, or rollcall join --protocol fleet --client-id). " +
        `To replace the other agent, set protocol: fleet in the file of ${cluster}.`
      );
    case "ClusterLeaving":
      return `Cluster ${cluster} is being removed: the agent can register when that is done.`;
    case "ClusterRevoked":
      return `Cluster ${cluster} is revoked: change its file to let it register again.`;
    case "ClientIDAmbiguous": {
      const names = members.map((one) => `${one.workspace}/${one.name}`).join(", ");
      return `More than one Cluster has this clientID: ${names}. Give each its own.`;
    }
    case "ClientIDTaken":
      return (
        `An agent with this clientID has registered as Cluster ${cluster} before. To let it register again, use a token that ` +
        `names ${member?.name ?? name} (clusterNames, or the annotation rollcall.dev/cluster-names).`
      );
  }
}
