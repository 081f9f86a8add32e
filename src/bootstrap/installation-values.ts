import type { DaemonAccess, InstallationChoices } from "./bootstrap-options.ts";
import { gitSecretName } from "./git-secret.ts";

export const valuesFile = "values.yaml";

/** Ports that the chart's NetworkPolicy lets through. */
const usualPorts: readonly number[] = [22, 443, 6443, 8443];

/** Values of the chart `rollcall` for a repository at `url`. */
export function printValues(
  url: string,
  {
    branch,
    access,
    choices,
  }: { readonly branch: string; readonly access: DaemonAccess; readonly choices: InstallationChoices },
): string {
  const port = portOf(url);
  const lines = [
    "# Values of the chart rollcall, by `rollcall bootstrap`. The chart's own values.yaml explains each.",
    "options:",
    `  repo: ${quote(url)}`,
    `  branch: ${quote(branch)}`,
    `workspaces: [${quote(choices.workspace)}]`,
    "createWorkspaces: true",
    "git:",
    `  secretName: ${gitSecretName}`,
    ...(access.kind === "key" ? ["  hasSsh: true"] : []),
    "hub:",
    "  # What agents dial, from outside of the hub's cluster.",
    `  url: ${quote(choices.hubUrl ?? "")}`,
    ...(choices.image === undefined ? [] : imageLines(choices.image)),
    ...(usualPorts.includes(port) ? [] : ["networkPolicy:", `  egressPorts: [${[...usualPorts, port].join(", ")}]`]),
  ];
  return `${lines.join("\n")}\n`;
}

function imageLines(image: string): string[] {
  const [named = "", digest = ""] = image.split("@");
  const [, repository = named, tag = ""] = /^(.*):([^:/]*)$/u.exec(named) ?? [];
  return ["image:", `  repository: ${quote(repository)}`, `  tag: ${quote(tag)}`, `  digest: ${quote(digest)}`];
}

/** The port of an https, http or ssh address, or of `user@host:path`. */
function portOf(address: string): number {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.protocol === "ssh:") return Number(url?.port || 22);
  return Number(url.port || (url.protocol === "http:" ? 80 : 443));
}

/** A JSON text is a YAML text. */
function quote(text: string): string {
  return JSON.stringify(text);
}
