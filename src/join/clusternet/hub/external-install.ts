import { textAt } from "../../../core/read-json.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { BootstrapValues } from "../../join.ts";
import { childByRef, isHubInitiated } from "../../member-state.ts";
import { externalAgentManifest } from "../manifests/agent-manifest.ts";
import { needsInstall } from "./import-state.ts";
import { hasHeartbeat, homeNamespaceOf } from "./member-facts.ts";

export function manifestOf(member: Member, hub: Pick<HubFacts, "endpoint">, bootstrap?: BootstrapValues): KubeObject[] {
  return externalAgentManifest(member, hub, { home: homeNamespaceOf(member), bootstrap });
}

/** The values to install the agent with: the credential that the file names. A working agent is not changed. */
export function pendingExternalInstall(
  member: Member,
  hub: HubFacts,
): { readonly number: number; readonly values: BootstrapValues } | undefined {
  const regToken = credentialOf(member);
  if (regToken === undefined || isInstalledByOthers(member) || !needsInstall(member, hub, manifestOf)) return undefined;
  return { number: (member.state?.install?.bootstrap ?? 0) + 1, values: { regToken } };
}

/** There is a kubeconfig, but nothing that Clusternet's own controllers would let an agent in by. */
export function whyNotInstalled(member: Member): { readonly reason: string; readonly message: string } | undefined {
  if (!isHubInitiated(member) || isInstalledByOthers(member) || credentialOf(member) !== undefined) return undefined;
  const name = secretNameOf(member);
  const reason = "BootstrapMissing";
  if (name === undefined)
    return {
      reason,
      message:
        "Clusternet's own controllers let agents in by a credential that Rollcall cannot make. Put one into a Secret of the " +
        "workspace (key token) and name it in spec.clusternet.bootstrapSecretRef, or install the agent yourself.",
    };
  return {
    reason,
    message: `Secret ${member.workspace}/${name} with a credential for the agent ${whatIsWrong(member)}.`,
  };
}

function whatIsWrong(member: Member): string {
  const secret = secretOf(member);
  if (secret === undefined) return "does not exist";
  if (isSomebodysOwn(secret)) return "is the credential of another user: make one for it that nothing else uses";
  return 'has no key "token", nor "token-id" and "token-secret"';
}

/**
 * A file could name such a Secret and have it sent to a cluster: tokens of accounts, and Secrets that Rollcall made.
 */
function isSomebodysOwn({ type, metadata }: KubeObject): boolean {
  if (type === "kubernetes.io/service-account-token") return true;
  return Object.keys(metadata.labels ?? {}).some((key) => key.startsWith("rollcall.dev/"));
}

function isInstalledByOthers(member: Member): boolean {
  return member.state?.install === undefined && hasHeartbeat(member);
}

function secretNameOf({ cluster }: Member): string | undefined {
  return cluster.spec?.clusternet?.bootstrapSecretRef?.name;
}

function secretOf(member: Member): KubeObject | undefined {
  const name = secretNameOf(member);
  if (name === undefined) return undefined;
  return childByRef(member, { type: resourceTypes.secret, namespace: member.workspace, name });
}

/** As the agent's flag takes it: the token of an account, or a bootstrap token of Kubernetes. */
function credentialOf(member: Member): string | undefined {
  const secret = secretOf(member);
  if (secret !== undefined && isSomebodysOwn(secret)) return undefined;
  const decoded = (key: string): string =>
    Buffer.from(textAt(secret, "data", key) ?? "", "base64")
      .toString("utf8")
      .trim();
  const [token, id, rest] = ["token", "token-id", "token-secret"].map(decoded);
  if (token) return token;
  return id && rest ? `${id}.${rest}` : undefined;
}
