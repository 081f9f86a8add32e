import { shellWord } from "../../core/shell-word.ts";
import type { Cluster } from "../../model/generated/cluster.ts";

/**
 * What a person types with the kube context of a cluster so that an agent of its protocol joins as it. FILE is the
 * kubeconfig of the hub.
 */
export function joinCommand({ metadata, spec }: Cluster): string {
  const { namespace = "fleet" } = metadata;
  const name = shellWord(metadata.name);
  const byToken = `--from-hub ${shellWord(`${namespace}/TOKEN`)} --hub-kubeconfig FILE`;
  switch (spec?.protocol) {
    case "fleet":
      // An agent of Fleet is known by its client ID alone.
      return `rollcall join --protocol fleet --client-id ${shellWord(spec.clientID ?? "ID")} ${byToken}`;
    case "kubefleet":
      return `rollcall join --protocol kubefleet --cluster-name ${name} --hub-kubeconfig FILE`;
    case "clusternet":
      return `rollcall join --protocol clusternet --cluster-name ${name} ${byToken}`;
    case "rollcall":
    case undefined:
      return `rollcall join --cluster-name ${name}, with the values of a token that admits it`;
  }
}
