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

/** What these flags say, if they are those of a door. */
export function readDoorFlags(flags: Readonly<Record<string, string>>): DoorFlags | undefined {
  const clusterName = flags["cluster-reg-name"];
  const {
    [clusternetDoorLabels.workspace]: workspace,
    [clusternetDoorLabels.token]: tokenName,
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
