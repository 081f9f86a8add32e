import { clusternetDoorLabels } from "../../../model/dialects/clusternet.ts";

/** What an agent must be told so that the hub knows who asks. */
export interface DoorFlags {
  readonly workspace: string;
  readonly clusterName: string;
  /** Absent where the hub itself installs the agent. */
  readonly tokenName?: string;
  /** More that the agent proposes. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The agent's flags, by name, that say which cluster it is and by which door it asks. */
export function doorFlags({ workspace, clusterName, tokenName, labels = {} }: DoorFlags): Record<string, string> {
  const said = {
    [clusternetDoorLabels.workspace]: workspace,
    ...(tokenName === undefined ? {} : { [clusternetDoorLabels.token]: tokenName }),
    ...labels,
  };
  const pairs = Object.entries(said).map(([key, value]) => `${key}=${value}`);
  return { "cluster-reg-name": clusterName, "cluster-labels": pairs.join(",") };
}
