import { fleetRegistrationNamespace } from "../../../model/dialects/fleet.ts";

export interface BootstrapInput {
  readonly workspace: string;
  readonly tokenName: string;
  readonly token: string;
  readonly url: string;
  readonly caBundle: string;
}

/** Everything that Fleet's agent and its chart read: `tokenName` since 0.16, older ones do not look at it. */
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

/** The values as the text of a values.yaml; every text in the quotes that JSON and YAML have in common. */
export function renderValues(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}
