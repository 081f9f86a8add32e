import { join } from "node:path";
import { bootstrap } from "../../bootstrap/bootstrap.ts";
import type { BootstrapOptions, DaemonAccess, GitSecret, OutputFolder } from "../../bootstrap/bootstrap-options.ts";
import { withSetupRemedy } from "../../bootstrap/setup-remedies.ts";
import { workflowFile } from "../../bootstrap/workflow-file.ts";
import { AppError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { ForgeProvider } from "../../forge/forge.ts";
import { openRepositoryHost } from "../../forge/repository-host.ts";
import { openGitEngine } from "../../git/engine/open-git-engine.ts";
import type { GitEngine } from "../../git/git.ts";
import { parseRemoteUrl } from "../../git/wire/remote-url.ts";
import { isLoopback, proxyOf } from "../../http/choose-proxy.ts";
import { trustOfEnvironment } from "../../http/trust.ts";
import { addressKind, readPath } from "../../settings/read-path.ts";
import { defaultCacheDir } from "../../system/cache-dir.ts";
import { isInWorkTree } from "../../system/in-work-tree.ts";
import { makeFolder } from "../../system/make-folder.ts";
import { readText } from "../../system/read-text.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { createFileAtomically } from "../../system/write-file-atomically.ts";
import { readIfThere } from "../../work-tree/read-if-there.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderBootstrapStep } from "../render/render-bootstrap.ts";
import type { PlainContext } from "./command-context.ts";
import { explainUnwrittenFile } from "./write-new-files.ts";
import { startFiles } from "./init-files.ts";
import { forgeTokenVariable } from "./post-plan.ts";
import { checkImage } from "./read-image.ts";
import { checkName } from "./read-labels.ts";
import { unknownChoice } from "./unknown-choice.ts";

/** Where a forge is that the address does not name. */
const publicForges: Readonly<
  Record<string, { readonly provider: ForgeProvider | undefined; readonly origin?: string }>
> = {
  github: { provider: "GitHub", origin: "https://github.com" },
  gitlab: { provider: "GitLab", origin: "https://gitlab.com" },
  gitea: { provider: "Gitea" },
  git: { provider: undefined },
};

/**
 * `rollcall bootstrap github|gitlab|gitea|git REPOSITORY`: makes the repository with a deploy key and a first commit, and
 * writes the Secret and the values that the daemon is installed with.
 * @throws E_USAGE, E_FORGE_*, E_GIT_*; what was done until then stays, and the next run resumes
 */
export async function runBootstrap(context: PlainContext): Promise<number> {
  try {
    return await setUp(context);
  } catch (error) {
    throw withSetupRemedy(error);
  }
}

async function setUp(context: PlainContext): Promise<number> {
  const { settings, environment, stdout, signal } = context;
  const target = readTarget(context.args);
  const image = settings.text("image");
  const choices = {
    namespace: checkName(settings.requiredText("namespace"), "--namespace"),
    workspace: checkName(settings.requiredText("workspace"), "--workspace"),
    hubUrl: settings.text("hub-url"),
    image: image === undefined ? undefined : checkImage(image, "--image"),
  };
  const access = await readAccess(context, target);
  const folder = outputFolder(readPath(settings.requiredText("dir"), environment));
  const token = await readToken(context, target);
  const host = openHost(context, target, token);
  const options: BootstrapOptions = {
    url: target.url,
    branch: settings.requiredText("branch"),
    host,
    access,
    openGit: (secret) => openGit(context, { url: target.url, token, secret }),
    files: filesOf(target.provider, choices),
    choices,
    folder,
    nowMs: realClock.nowMs(),
    isDryRun: settings.isOn("dry-run"),
    signal,
  };
  let isStarted = false;
  try {
    for await (const step of bootstrap(options)) {
      isStarted ||= step.state === "created";
      stdout.write(renderBootstrapStep(step, isColourful(stdout, environment)));
    }
  } catch (error) {
    if (isStarted && !signal.aborted)
      stdout.write("It stopped here. What is done stays: run the same command again to continue.\n");
    throw error;
  } finally {
    await host?.close();
  }
  stdout.write(options.isDryRun ? "Nothing was changed.\n" : nextSteps(folder.path, choices));
  return 0;
}

interface Target {
  readonly provider: ForgeProvider | undefined;
  readonly url: string;
}

function readTarget([kind = "", repository = ""]: readonly string[]): Target {
  const forge = Object.hasOwn(publicForges, kind) ? publicForges[kind] : undefined;
  if (!forge) throw unknownChoice("forge", kind, Object.keys(publicForges));
  const { provider, origin } = forge;
  const isName = /^[\w.-]+(?:\/[\w.-]+)+$/u.test(repository);
  if (isName && origin !== undefined) return { provider, url: `${origin}/${repository}` };
  const address = addressKind(repository);
  if (address === "folder") {
    const example =
      provider === undefined ? "ssh://git@git.example.com/fleet.git" : "https://git.example.com/acme/fleet";
    throw new AppError("E_USAGE", `bootstrap ${kind} needs the address of the repository, such as ${example}`);
  }
  if (provider !== undefined && address === "ssh") {
    throw new AppError("E_USAGE", `bootstrap ${kind} needs the https address of the repository: its API is there`);
  }
  refuseAddress(repository);
  return { provider, url: repository };
}

/** Before anything is made, what git would refuse afterwards. Tokens go to no other machine without TLS. */
function refuseAddress(url: string): void {
  const { kind } = parseRemoteUrl(url, { isLocalAllowed: true });
  if (kind !== "http" || !/^http:/iu.test(url) || isLoopback(new URL(url).hostname)) return;
  throw new AppError("E_USAGE", "bootstrap sends a token to the repository: name its https address");
}

/** How the daemon will reach the repository. @throws E_USAGE where the options do not determine it */
async function readAccess({ settings }: PlainContext, { provider, url }: Target): Promise<DaemonAccess> {
  const [tokenFile, knownHostsFile] = [settings.text("daemon-token-file"), settings.text("known-hosts-file")];
  if (tokenFile !== undefined) return { kind: "token", token: await readDaemonToken(tokenFile) };
  if (provider === undefined && addressKind(url) !== "ssh") {
    throw new AppError("E_USAGE", "a git server that is reached by https needs --daemon-token-file: it takes no key");
  }
  return { kind: "key", knownHosts: knownHostsFile === undefined ? undefined : await readText(knownHostsFile) };
}

/** @throws E_USAGE for a file without one: no repository is made for a daemon that could not read it */
async function readDaemonToken(path: string): Promise<string> {
  const token = (await readText(path)).trim();
  if (/^[\x21-\x7e]+$/u.test(token)) return token;
  throw new AppError("E_USAGE", `--daemon-token-file ${path} is empty or has characters that no token has`);
}

/** The token of the person who sets up: never an argument, which other users of the machine could read. */
async function readToken({ settings, environment }: PlainContext, { provider }: Target): Promise<string | undefined> {
  const file = settings.text("token-file");
  const token = (file === undefined ? environment[forgeTokenVariable] : await readText(file))?.trim() ?? "";
  if (token !== "") return token;
  if (provider === undefined) return undefined;
  throw new AppError("E_USAGE", `${provider} needs a token: set ${forgeTokenVariable}, or give --token-file`);
}

function openHost({ settings, environment }: PlainContext, { provider, url }: Target, token = "") {
  if (provider === undefined) return undefined;
  const apiUrl = settings.text("api-url");
  const caBundle = trustOfEnvironment(environment);
  return openRepositoryHost({
    provider,
    repositoryUrl: url,
    token,
    clock: realClock,
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(caBundle === undefined ? {} : { caBundle }),
    proxyUrl: (address) => proxyOf(address, environment),
  });
}

async function openGit(
  { environment }: PlainContext,
  {
    url,
    token,
    secret,
  }: { readonly url: string; readonly token: string | undefined; readonly secret: GitSecret | undefined },
): Promise<GitEngine> {
  const caBundle = trustOfEnvironment(environment);
  const proxyUrl = addressKind(url) === "https" ? proxyOf(url, environment) : undefined;
  const isBySsh = addressKind(url) === "ssh";
  return openGitEngine({
    url,
    cacheDir: defaultCacheDir(`bootstrap ${url}`, environment),
    isLocalAllowed: true,
    ...(token === undefined ? {} : { credentials: { kind: "token", secret: token } }),
    ...(isBySsh ? { ssh: { identity: secret?.identity ?? "", knownHosts: secret?.knownHosts ?? "" } } : {}),
    ...(caBundle === undefined ? {} : { caBundle }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    clock: realClock,
    random: realRandom,
  });
}

function filesOf(
  provider: ForgeProvider | undefined,
  { workspace, image = "rollcall" }: BootstrapOptions["choices"],
): ReadonlyMap<string, string> {
  const files = new Map(startFiles(workspace));
  if (provider !== undefined) {
    const { path, text } = workflowFile(provider, image);
    files.set(path, text);
  }
  return files;
}

/** @throws E_USAGE for a folder in a work tree of git: a `git add .` would take the key */
function outputFolder(path: string): OutputFolder {
  if (isInWorkTree(path)) {
    throw new AppError("E_USAGE", `${path} is in a work tree of git, which no key belongs in: name another --dir`);
  }
  return {
    path,
    read: (name) => readIfThere(join(path, name)),
    write: async (name, text) => {
      try {
        await makeFolder(path, 0o700);
        return await createFileAtomically(join(path, name), text);
      } catch (error) {
        throw explainUnwrittenFile(join(path, name), error);
      }
    },
  };
}

function nextSteps(dir: string, { namespace, image }: BootstrapOptions["choices"]): string {
  return `Next, on the hub:
  kubectl create namespace ${namespace}
  kubectl apply -f ${shellWord(join(dir, "git-secret.yaml"))}
  helm install rollcall CHART --namespace ${namespace} --values ${shellWord(join(dir, "values.yaml"))}
CHART is deploy/charts/rollcall of a checkout, or rollcall-chart-VERSION.tgz of a release.
${image === undefined ? `${dir}/values.yaml needs image.repository, an image that the hub can pull (docs/install.md).\n` : ""}`;
}
