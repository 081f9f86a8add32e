import { AppError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell-word.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import { agentLogCommand } from "../../planning/views/agent-log.ts";
import type { PlainContext } from "./command-context.ts";
import { findCluster } from "./list-objects.ts";

/**
 * `rollcall logs CLUSTER`: the hub has no connection to agents, so this names what shows the log.
 * @throws E_UNSUPPORTED with the command; E_KUBE_NOT_FOUND
 */
export async function runLogs(context: PlainContext): Promise<number> {
  const { settings, args, environment } = context;
  const { hubApi } = await connectHub(settings, environment);
  try {
    const cluster = await findCluster(hubApi, context, args[0] ?? "");
    const { namespace = "", name } = cluster.metadata;
    throw new AppError("E_UNSUPPORTED", `read the log of the agent of Cluster ${namespace}/${name}: the hub has none`, {
      remedy: remedyFor(cluster),
    });
  } finally {
    await hubApi.close();
  }
}

/** A kubeconfig that the hub keeps is written to a file that only this user reads. */
function remedyFor(cluster: Cluster): string {
  const { metadata, spec } = cluster;
  const secret = spec?.kubeConfigSecretRef;
  if (secret === undefined) return `Type in that cluster: ${agentLogCommand(cluster)}`;
  const file = shellWord(`${metadata.name}.kubeconfig`);
  const entry = shellWord(`go-template={{index .data ${JSON.stringify(secret.key ?? "value")} | base64decode}}`);
  const read = `kubectl -n ${shellWord(metadata.namespace ?? "")} get secret ${shellWord(secret.name)} -o ${entry}`;
  return `Type with a kubeconfig of the hub: (umask 077; ${read} > ${file}) && ${agentLogCommand(cluster, `--kubeconfig ${file} `)}`;
}
