import type { Cluster } from "../../model/generated/cluster.ts";

/**
 * What a person types with the kube context of a cluster so that an agent of its protocol joins as it. FILE is the
 * kubeconfig of the hub.
 */
export function joinCommand({ metadata, spec }: Cluster): string {
  const { name, namespace = "fleet" } = metadata;
  const byToken = `--from-hub ${namespace}/TOKEN --hub-kubeconfig FILE`;
  switch (spec?.protocol) {
    case "fleet":
      // An agent of Fleet is known by its client ID alone.
      return `rollcall join --protocol fleet --client-id ${spec.clientID ?? "ID"} ${byToken}`;
    case "kubefleet":
      return `rollcall join --protocol kubefleet --cluster-name ${name} --hub-kubeconfig FILE`;
    case "clusternet":
      return `rollcall join --protocol clusternet --cluster-name ${name} ${byToken}`;
    case "rollcall":
    case undefined:
      return `rollcall join --cluster-name ${name}, with the values of a token that admits it`;
  }
}
