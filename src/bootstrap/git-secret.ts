import { AppError } from "../core/errors.ts";
import { compact } from "../core/compact.ts";
import { textAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import type { DaemonAccess, GitSecret, OutputFolder } from "./bootstrap-options.ts";
import { makeDeployKey, publicKeyOf } from "./deploy-key.ts";

export const gitSecretName = "rollcall-git";
export const gitSecretFile = "git-secret.yaml";

/**
 * What the file of an earlier run has; undefined without one. The private key is kept there and nowhere else.
 * @throws E_USAGE when the file is no such Secret, or one of another namespace; no message repeats its content
 */
export async function readGitSecret(folder: OutputFolder, namespace: string): Promise<GitSecret | undefined> {
  const text = await folder.read(gitSecretFile);
  if (text === undefined) return undefined;
  const { value } = readYamlDocument(text);
  // In the file each ends with a line break, which is no part of a token.
  const field = (key: string): string | undefined => textAt(value, "stringData", key)?.trimEnd();
  const secret = compact({ identity: field("identity"), knownHosts: field("known_hosts"), token: field("token") });
  const file = `${folder.path}/${gitSecretFile}`;
  if (secret.identity === undefined && secret.token === undefined) {
    throw new AppError("E_USAGE", `${file} is no Secret of an earlier run: name another --dir`);
  }
  if (textAt(value, "metadata", "namespace") === namespace) return secret;
  throw new AppError(
    "E_USAGE",
    `${file} is not for namespace ${namespace}: write the name there, or name another --dir`,
  );
}

/** The repository that the Secret of an earlier run gives access to, where its file names one. */
export async function repositoryOfSecret(folder: OutputFolder): Promise<string | undefined> {
  const lines = (await folder.read(gitSecretFile))?.split("\n") ?? [];
  return lines.find((line) => line.startsWith(repositoryMark))?.slice(repositoryMark.length);
}

const repositoryMark = "# Repository: ";

/** A new Secret: with a new key, or with the token. `knownHosts`: lines as ssh-keyscan prints them. */
export function makeGitSecret(access: DaemonAccess, knownHosts: string): GitSecret {
  if (access.kind === "token") return { token: access.token };
  return { identity: makeDeployKey("rollcall").identity, knownHosts };
}

/**
 * Refuses the Secret of an earlier run that does not fit the options of this one: a key or a token that is in use is not
 * overwritten.
 * @throws E_USAGE
 */
export function refuseOtherAccess(found: GitSecret, access: DaemonAccess, folder: OutputFolder): void {
  const isSame = access.kind === "token" ? found.token === access.token : found.identity !== undefined;
  if (isSame) return;
  const what = access.kind === "token" ? "is not for this token" : "has a token and no key";
  throw new AppError("E_USAGE", `${folder.path}/${gitSecretFile} ${what}: delete the file, or name another --dir`);
}

/** The public part of the deploy key in a Secret. @throws E_USAGE */
export function deployKeyOf({ identity = "" }: GitSecret, folder: OutputFolder): string {
  return publicKeyOf(identity, `${folder.path}/${gitSecretFile}`);
}

/** The Secret as `kubectl apply -f` takes it. `repository`: its name, for the next run. */
export function printGitSecret(
  { identity, knownHosts, token }: GitSecret,
  namespace: string,
  repository?: string,
): string {
  const entries = Object.entries(compact({ identity, known_hosts: knownHosts, token }));
  const data = entries.map(([key, text = ""]) => `  ${key}: |\n${indent(text.trimEnd())}\n`).join("");
  return `# How the daemon reaches the repository. Never commit this file; delete it when it is on the hub.
${repository === undefined ? "" : `${repositoryMark}${repository}\n`}apiVersion: v1
kind: Secret
metadata:
  name: ${gitSecretName}
  namespace: ${JSON.stringify(namespace)}
type: Opaque
stringData:
${data}`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gmu, "    ");
}
