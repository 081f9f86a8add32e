import { tokenFlags } from "../manifests/agent-flags.ts";

export interface TokenValuesInput {
  readonly workspace: string;
  readonly clusterName: string;
  readonly tokenName: string;
  /** The credential. */
  readonly token: string;
  readonly url: string;
}

/**
 * What an agent is installed with, as values of Clusternet's chart. Every text is in the quotes that JSON and YAML have
 * in common.
 */
export function renderTokenValues({ token, url, ...named }: TokenValuesInput): string {
  const extraArgs = Object.entries(tokenFlags(named)).map(([flag, value]) => `  ${flag}: ${JSON.stringify(value)}\n`);
  return `parentURL: ${JSON.stringify(url)}\nregistrationToken: ${JSON.stringify(token)}\nextraArgs:\n${extraArgs.join("")}`;
}
