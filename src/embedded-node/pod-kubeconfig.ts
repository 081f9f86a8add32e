import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A kubeconfig of the Pod's own service account, for programs that find their cluster there: a process has no files
 * under /var/run/secrets of its own. Token and CA are read from the volume, so a renewed token is found.
 */
export async function writePodKubeconfig(options: {
  readonly folder: string;
  readonly accountDir: string;
  readonly namespace: string;
  readonly service: { readonly host: string; readonly port: string };
}): Promise<string> {
  const { folder, accountDir, namespace, service } = options;
  const host = service.host.includes(":") ? `[${service.host}]` : service.host;
  const name = "pod";
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: { server: `https://${host}:${service.port}`, "certificate-authority": join(accountDir, "ca.crt") },
      },
    ],
    users: [{ name, user: { tokenFile: join(accountDir, "token") } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    "current-context": name,
  };
  const path = join(folder, "kubeconfig");
  await writeFile(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}
