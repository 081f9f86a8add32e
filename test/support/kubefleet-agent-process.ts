import { mkdtemp, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentProcess } from "./agent-process.ts";
import { startAgentProcess } from "./agent-process.ts";

/** The program of KubeFleet's member agent, where it is built: suites that need it are skipped without. */
export const kubefleetAgentBinary = process.env["ROLLCALL_KUBEFLEET_AGENT"];

export interface KubefleetAgentProcess extends AgentProcess {
  readonly startedAtMs: number;
  /** Its mounted Secret has another token now. */
  readonly mountToken: (token: string) => Promise<void>;
}

/**
 * Starts the unmodified agent as a process of this machine, as the container of its Deployment: with that environment, and
 * the token in a file.
 */
export async function startKubefleetAgent(options: {
  readonly memberKubeconfig: string;
  /** As the Deployment has it. CONFIG_PATH becomes the file of this process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly token: string;
  /** As the Deployment has them; addresses and ports become those of this process. Default: none. */
  readonly args?: readonly string[];
}): Promise<KubefleetAgentProcess> {
  if (kubefleetAgentBinary === undefined) throw new Error("ROLLCALL_KUBEFLEET_AGENT names no program");
  const folder = await mkdtemp(join(tmpdir(), "rollcall-kubefleet-agent-"));
  const [kubeconfig, tokenFile] = [join(folder, "kubeconfig"), join(folder, "token")];
  const mountToken = async (token: string): Promise<void> => {
    await writeFile(`${tokenFile}.next`, token, { mode: 0o600 });
    await rename(`${tokenFile}.next`, tokenFile);
  };
  await writeFile(kubeconfig, options.memberKubeconfig, { mode: 0o600 });
  await mountToken(options.token);
  const addresses = ["hub-health-probe", "health-probe"].map((name) => `--${name}-bind-address=127.0.0.1:0`);
  const ports = [...addresses, "--hub-metrics-bind-address=0", "--metrics-bind-address=0", "--enable-pprof=false"];
  const args = [...(options.args ?? []), ...ports, "--v=2"];
  const env = { HOME: folder, ...options.environment, CONFIG_PATH: tokenFile, KUBECONFIG: kubeconfig };
  const startedAtMs = Date.now();
  const agent = startAgentProcess(kubefleetAgentBinary, { folder, args, env });
  return { ...agent, startedAtMs, mountToken };
}
