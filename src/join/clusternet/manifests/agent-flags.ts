import { clusternetTokenLabels } from "../../../model/dialects/clusternet.ts";

/** The flags of an agent by which the hub identifies its requests. */
export interface TokenFlags {
  readonly workspace: string;
  readonly clusterName: string;
  /** Absent where the hub itself installs the agent. */
  readonly tokenName?: string;
  /** More that the agent proposes. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The agent's flags, by name, that declare which cluster it is and by which token it registers. */
export function tokenFlags({ workspace, clusterName, tokenName, labels = {} }: TokenFlags): Record<string, string> {
  const values = {
    [clusternetTokenLabels.workspace]: workspace,
    ...(tokenName === undefined ? {} : { [clusternetTokenLabels.token]: tokenName }),
    ...labels,
  };
  const pairs = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return { "cluster-reg-name": clusterName, "cluster-labels": pairs.join(",") };
}

/** What these flags contain, if they are those of a token. */
export function readTokenFlags(flags: Readonly<Record<string, string>>): TokenFlags | undefined {
  const clusterName = flags["cluster-reg-name"];
  const {
    [clusternetTokenLabels.workspace]: workspace,
    [clusternetTokenLabels.token]: tokenName,
    ...labels
  } = Object.fromEntries(
    (flags["cluster-labels"] ?? "").split(",").map((pair) => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, Math.max(0, equals)), pair.slice(equals + 1)];
    }),
  );
  if (clusterName === undefined || workspace === undefined) return undefined;
  return { workspace, clusterName, ...(tokenName === undefined ? {} : { tokenName }), labels };
}
