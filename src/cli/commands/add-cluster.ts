import { join } from "node:path";
import { stringify } from "yaml";
import { AppError } from "../../core/errors.ts";
import { textAt } from "../../core/read-json.ts";
import { quotedForAll } from "../../core/yaml/quoted-for-all.ts";
import { isLoopback } from "../../http/choose-proxy.ts";
import { parseServerUrl } from "../../kube/connection.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { readKubeconfig } from "../../kube/read-kubeconfig.ts";
import { defaultAgentNamespace } from "../../model/dialects/rollcall.ts";
import { asFound } from "../../model/as-found.ts";
import { inlineKubeconfig } from "../../model/inline-kubeconfig.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers } from "../../model/well-known.ts";
import { isAppliedBy } from "../../planning/owned-fields.ts";
import { printDocument, refuseBadText } from "./add-token.ts";
import { applyAgent, readOwnNamespace } from "./apply-agent.ts";
import type { PlainContext } from "./command-context.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { withCluster, withClusterOf, withHubOf } from "./connect-cluster.ts";
import { apiOf } from "../../daemon/connect-hub.ts";
import {
  declaredAlready,
  declaredClusters,
  objectsCalled,
  readDeclaredDocuments,
} from "../../work-tree/declared-documents.ts";
import { refuseOccupied, writeNewFile } from "./write-new-files.ts";
import { againOnConflict } from "../../install/apply-as-found.ts";
import { installerName, installerObjects } from "../../install/installer-objects.ts";
import { checkName, readLabels } from "./read-labels.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { isAgeRecipient } from "../../secrets/age-keys.ts";
import { encryptSops } from "../../secrets/encrypt-sops.ts";

/** How often the account's token is read, and for how long: the cluster writes it within a second. */
const pollMs = 200;
const searchMs = 30_000;
/** The default of `spec.kubeConfigSecretRef.key`. */
const secretKey = "value";

/**
 * `rollcall add cluster NAME`: makes an account in the cluster of the kube context that may install the agent, and writes
 * clusters/NAME.yaml into a work tree. The account's kubeconfig is stored encrypted beside it, or in a Secret on the hub; it is
 * never written in plain text. Of a cluster that is declared so already, only the kubeconfig is made anew. With --local the
 * cluster is the hub itself (docs/decisions/0056).
 * @throws E_USAGE, E_KUBECONFIG, E_SOPS_KEY and what the API servers answer
 */
export async function runAddCluster(context: PlainContext): Promise<number> {
  const { settings, args, stdout } = context;
  const name = checkName(args[0] ?? "", "the cluster's name");
  const workspace = checkName(settings.requiredText("workspace"), "--workspace");
  const dir = settings.requiredText("dir");
  const labels = readLabels(settings.list("label") ?? []);
  const recipients = settings.list("age-recipient");
  const hubKubeconfig = settings.text("hub-kubeconfig");
  const isLocal = settings.isOn("local");
  if (isLocal && hubKubeconfig === undefined) {
    throw new AppError("E_USAGE", "--local makes the hub a member of its fleet: name its --hub-kubeconfig FILE");
  }
  if (!isLocal && (recipients === undefined) === (hubKubeconfig === undefined)) {
    const choices = "--age-recipient (encrypted, in the repository) or --hub-kubeconfig (a Secret on the hub)";
    throw new AppError("E_USAGE", `choose where the cluster's kubeconfig is stored: ${choices}`);
  }
  refuseOtherRecipients(recipients ?? []);
  const secretName = `${name}-kubeconfig`;
  const file = clusterFile({ dir, name, workspace, labels, secretName });
  refuseBadText(file.path, file.text);
  const declaredIn = await findDeclaration(dir, { name, workspace, secretName, labels });
  const secretPath = `clusters/${name}.secret.yaml`;
  if (declaredIn === undefined) await refuseOccupied(dir, file.path);
  const deleteOld = declaredIn === undefined ? undefined : "delete it, and a new one is made";
  if (recipients !== undefined) await refuseOccupied(dir, secretPath, deleteOld);
  const isOnHub = recipients === undefined && hubKubeconfig !== undefined;
  const place = { namespace: workspace, name: secretName };
  if (isOnHub)
    await withHubOf(hubKubeconfig, context.environment, (hubApi) => readOwnSecret(hubApi, place, context.signal));

  const make = (cluster: ClusterConnection): Promise<string> => makeKubeconfig(context, name, cluster);
  const kubeconfig =
    isLocal && hubKubeconfig !== undefined
      ? await withClusterOf(hubKubeconfig, context.environment, make)
      : await withCluster(context, make);
  const secret = kubeconfigSecret(secretName, workspace, kubeconfig);
  if (recipients !== undefined) {
    const text = await encryptSops(secret, { recipients, random: realRandom, nowMs: realClock.nowMs() });
    await writeNewFile(dir, secretPath, text);
    stdout.write(`${join(dir, secretPath)} (encrypted)\n`);
  } else if (isOnHub) {
    await withHubOf(hubKubeconfig, context.environment, (hubApi) => writeToHub(hubApi, secret, context.signal));
    stdout.write(`Secret ${workspace}/${secretName} on the hub\n`);
  }
  if (declaredIn === undefined) {
    await writeNewFile(dir, file.path, file.text);
    stdout.write(`${join(dir, file.path)}\nCommit and push; the hub then installs the agent.\n`);
  } else {
    stdout.write(`${join(dir, declaredIn)} declares the cluster, and stays as it is.\n`);
    if (!isOnHub) stdout.write("Commit and push the new kubeconfig.\n");
  }
  stdout.write(loopbackNote(kubeconfig, isOnHub ? undefined : join(dir, secretPath)));
  stdout.write(`To end the hub's access: kubectl delete namespace ${installerName} (in the cluster)\n`);
  return 0;
}

/**
 * The file that declares the cluster with the very Secret that this command makes: then the kubeconfig alone is made anew,
 * as after the loss of a hub. Undefined where no file declares it.
 * @throws E_USAGE for one that is declared in another way, and for labels, which are in its file
 */
async function findDeclaration(
  dir: string,
  cluster: {
    readonly name: string;
    readonly workspace: string;
    readonly secretName: string;
    readonly labels: Readonly<Record<string, string>>;
  },
): Promise<string | undefined> {
  const { name, workspace, secretName, labels } = cluster;
  const [found] = objectsCalled(declaredClusters(await readDeclaredDocuments(dir)), name, workspace);
  if (found === undefined) return undefined;
  const ref = found.object.spec?.kubeConfigSecretRef;
  const isOurs = ref?.name === secretName && (ref.key === undefined || ref.key === secretKey);
  if (!isOurs || Object.keys(labels).length > 0) throw declaredAlready("Cluster", `${workspace}/${name}`, found.file);
  return found.file.path;
}

/** Before anything is made in the cluster. Throws E_USAGE. */
function refuseOtherRecipients(recipients: readonly string[]): void {
  const other = recipients.find((recipient) => !isAgeRecipient(recipient));
  if (other === undefined) return;
  const remedy = "write the public key (age1...) that `age-keygen -y KEYFILE` prints";
  throw new AppError("E_USAGE", `--age-recipient ${JSON.stringify(other.slice(0, 80))} is no age recipient: ${remedy}`);
}

/**
 * The kubeconfigs of kind, k3s and minikube name this machine. Empty: another address. `encryptedFile`: what the command does not
 * write over when it runs again.
 */
function loopbackNote(kubeconfig: string, encryptedFile: string | undefined): string {
  const { server } = readKubeconfig(kubeconfig);
  if (!isLoopback(new URL(server).hostname)) return "";
  const first = encryptedFile === undefined ? "" : `delete ${encryptedFile}, and `;
  return `Only a daemon on this machine reaches ${server}. For another one, ${first}run the command again with --server and the address that it reaches.\n`;
}

function clusterFile(cluster: {
  readonly dir: string;
  readonly name: string;
  readonly workspace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly secretName: string;
}) {
  const { dir, name, workspace, labels, secretName } = cluster;
  const metadata = { name, namespace: workspace, ...(Object.keys(labels).length > 0 ? { labels } : {}) };
  const spec = { kubeConfigSecretRef: { name: secretName } };
  const text = printDocument({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec }, dir);
  return { path: `clusters/${name}.yaml`, text };
}

function kubeconfigSecret(name: string, workspace: string, kubeconfig: string) {
  const data = { [secretKey]: Buffer.from(kubeconfig, "utf8").toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: workspace }, type: "Opaque", data };
}

/**
 * Cluster API names the kubeconfigs of its clusters in the same way. One that this command made may be made again.
 * @throws E_USAGE for another one
 */
async function readOwnSecret(
  hubApi: KubeApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const live = await hubApi.get({ type: resourceTypes.secret, namespace, name }, { signal });
  if (live === undefined || isAppliedBy(live, fieldManagers.operator)) return live;
  const remedy = `to use it, write a file of the cluster with spec.kubeConfigSecretRef.name: ${name}; otherwise choose another name`;
  throw new AppError(
    "E_USAGE",
    `Secret ${namespace}/${name} is on the hub, and this command did not make it: ${remedy}`,
  );
}

async function writeToHub(
  hubApi: KubeApi,
  secret: ReturnType<typeof kubeconfigSecret>,
  signal: AbortSignal,
): Promise<void> {
  await againOnConflict(async () => {
    const live = await readOwnSecret(hubApi, secret.metadata, signal);
    await hubApi.apply(asFound(secret, live), { fieldManager: fieldManagers.operator, signal });
  });
}

/** Makes the account and a kubeconfig of it that needs nothing else; whatever it was made by may be an exec plugin. */
async function makeKubeconfig(
  { settings, signal }: PlainContext,
  name: string,
  { downstreamApi, connection }: ClusterConnection,
): Promise<string> {
  const server = parseServerUrl(settings.text("server") ?? connection.server);
  for (const namespace of [installerName, defaultAgentNamespace])
    await readOwnNamespace(downstreamApi, namespace, signal);
  await applyAgent(downstreamApi, installerObjects(defaultAgentNamespace), signal);
  const token = await readToken(downstreamApi, signal);
  const { caPem } = await connection.getTls();
  const { tlsServerName, proxyUrl } = connection;
  const access = { server, token, caPem, tlsServerName, proxyUrl };
  const text = stringify(inlineKubeconfig(access, { cluster: name, user: installerName }), quotedForAll);
  await tryKubeconfig(text, settings.text("server") === undefined, signal);
  return text;
}

async function readToken(downstreamApi: KubeApi, signal: AbortSignal): Promise<string> {
  const ref = { type: resourceTypes.secret, namespace: installerName, name: installerName };
  for (const endMs = realClock.monotonicMs() + searchMs; realClock.monotonicMs() < endMs;) {
    const encoded = textAt(await downstreamApi.get(ref, { signal }), "data", "token");
    if (encoded !== undefined) return Buffer.from(encoded, "base64").toString("utf8");
    await realClock.sleep(pollMs, signal);
  }
  const what = `Secret ${installerName}/${installerName} was given no token within ${searchMs / 1000} s`;
  throw new AppError("E_KUBE_SERVER", `${what}: does the cluster run its controllers?`);
}

/** The hub will accept it, and, where this machine reaches the same address, the cluster does. */
async function tryKubeconfig(text: string, isReachable: boolean, signal: AbortSignal): Promise<void> {
  const connection = readKubeconfig(text);
  if (!isReachable) return;
  const api = apiOf(connection);
  try {
    await api.get({ type: resourceTypes.namespace, name: defaultAgentNamespace }, { signal });
  } finally {
    await api.close();
  }
}
