import type { KubeApi } from "../../src/kube/kube.ts";
import { connectDownstream } from "../../src/daemon/connect-hub.ts";
import { repositoryForge } from "../../src/daemon/wire-forge.ts";
import { accessOfRepository } from "../../src/daemon/wire-git.ts";
import { openGitEngine } from "../../src/git/engine/open-git-engine.ts";
import type { Repository } from "../../src/model/generated/repository.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "./real-time.ts";

// A process that asks a git server, a forge and an API server, and prints what each request comes to. Its arguments: the
// addresses of git server and of the other two, a folder for copies, and the Repository's caBundle (may be empty).
const [gitUrl = "", serverUrl = "", folder = "", caBundle = ""] = process.argv.slice(2);
const environment = process.env;

const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall" },
  spec: {
    url: gitUrl,
    ...(caBundle === "" ? {} : { caBundle }),
    forge: { provider: "Gitea", apiURL: serverUrl, secretRef: { name: "token" } },
  },
};
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "token", resourceVersion: "1" } };
const token = { ...secret, data: { token: Buffer.from("secret").toString("base64") } };
const secrets: Pick<KubeApi, "get"> = { get: () => Promise.resolve(token) };

async function report(name: string, request: Promise<unknown>): Promise<void> {
  const outcome = await request.then(
    () => "answered",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  process.stdout.write(`${name}: ${outcome}\n`);
}

const hubApi = secrets as KubeApi;
for (const backend of ["auto", "native"] as const) {
  const access = accessOfRepository({ hubApi, url: gitUrl, repository: () => repository, environment });
  const cacheDir = `${folder}/${backend}`;
  const git = await openGitEngine({ url: gitUrl, cacheDir, backend, ...access, clock: realClock, random: realRandom });
  await report(`git ${backend}`, git.listBranches());
  await git.close();
}
const openForge = repositoryForge(hubApi, environment);
const forge = await openForge(repository);
await report("forge", forge?.listPullRequests() ?? Promise.reject(new Error("no forge")));
await openForge.close();
const kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "c", cluster: { server: serverUrl } }],
  users: [{ name: "u", user: { token: "secret" } }],
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  "current-context": "c",
};
const api = connectDownstream(JSON.stringify(kubeconfig), { environment });
await report("kube", api.get({ type: resourceTypes.namespace, name: "default" }));
await api.close();
