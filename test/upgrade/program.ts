import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as agentModule from "../../src/agent/agent.ts";
import type * as agentProcessModule from "../../src/agent-process/wire-agent.ts";
import type * as backupModule from "../../src/embedded-hub/backup.ts";
import type * as connectionModule from "../../src/daemon/connect-hub.ts";
import type * as daemonModule from "../../src/daemon/wire-run.ts";
import type * as gitModule from "../../src/git/engine/open-git-engine.ts";
import type * as hubModule from "../../src/embedded-hub/embedded-hub.ts";
import type * as installModule from "../../src/install/install-hub.ts";
import type * as kubeconfigModule from "../../src/kube/read-kubeconfig.ts";
import type * as protocolsModule from "../../src/daemon/foreign-protocols.ts";
import type * as repositoryModule from "../../src/daemon/wire-repository.ts";

/** The parts of one version of this program that a fleet runs on. */
export interface Program {
  readonly root: string;
  readonly agent: typeof agentModule;
  readonly agentProcess: typeof agentProcessModule;
  readonly backup: typeof backupModule;
  readonly connection: typeof connectionModule;
  readonly daemon: typeof daemonModule;
  readonly git: typeof gitModule;
  readonly hub: typeof hubModule;
  readonly install: typeof installModule;
  readonly kubeconfig: typeof kubeconfigModule;
  readonly protocols: typeof protocolsModule;
  readonly repository: typeof repositoryModule;
}

/** This checkout. */
export const today = resolve(import.meta.dirname, "../..");

/** The program of a checkout, which may be another than this one. */
export async function loadProgram(root: string): Promise<Program> {
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(root, "src", path)).href);
  return {
    root,
    agent: await load("agent/agent.ts"),
    agentProcess: await load("agent-process/wire-agent.ts"),
    backup: await load("embedded-hub/backup.ts"),
    connection: await load("daemon/connect-hub.ts"),
    daemon: await load("daemon/wire-run.ts"),
    git: await load("git/engine/open-git-engine.ts"),
    hub: await load("embedded-hub/embedded-hub.ts"),
    install: await load("install/install-hub.ts"),
    kubeconfig: await load("kube/read-kubeconfig.ts"),
    protocols: await load("daemon/foreign-protocols.ts"),
    repository: await load("daemon/wire-repository.ts"),
  } as Program;
}
