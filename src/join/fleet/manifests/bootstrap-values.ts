import { fleetRegistrationNamespace } from "../../../model/dialects/fleet.ts";
import { labelKeys } from "../../../model/well-known.ts";

export interface BootstrapInput {
  readonly workspace: string;
  readonly tokenName: string;
  readonly token: string;
  readonly url: string;
  readonly caBundle: string;
}

/** Everything that Fleet's agent and its chart read: `tokenName` since 0.16, older ones do not read it. */
export function bootstrapValues({
  workspace,
  tokenName,
  token,
  url,
  caBundle,
}: BootstrapInput): Record<string, string> {
  return {
    clusterNamespace: workspace,
    apiServerURL: url,
    apiServerCA: caBundle,
    token,
    systemRegistrationNamespace: fleetRegistrationNamespace,
    tokenName,
  };
}

/**
 * The values as the text of a values.yaml; every value as JSON, which YAML has in it. Its chart makes of `labels` what the
 * agent proposes for its cluster: agents of 0.15 name their token in no other way.
 */
export function renderValues(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** The label that an agent of 0.15 proposes for its cluster, to name its token. */
export function labelsOfToken(tokenName: string): Record<string, string> {
  return { [labelKeys.token]: tokenName };
}
