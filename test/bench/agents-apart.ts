// Agents in processes of their own. Thousands in one process would cost each other more than they cost the hub.
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "tsdown";
import type { AgentsAnswer, AgentsRequest } from "./agents-process.ts";

const root = resolve(import.meta.dirname, "../..");
const agentsInEach = 500;
/** How many join at a time. */
const joinersAtATime = 60;

export interface AgentsApart {
  readonly pids: readonly number[];
  /** The calls of each agent so far. */
  readonly calls: () => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
}

/** Starts agents, and resolves when all have joined. `valuesOf`: what an agent is started with. */
export async function startAgentsApart(count: number, valuesOf: (index: number) => string): Promise<AgentsApart> {
  const folder = await mkdtemp(join(root, "node_modules", ".bench-"));
  await build({
    cwd: root,
    entry: { agents: "test/bench/agents-process.ts" },
    outDir: folder,
    format: "esm",
    platform: "node",
    target: "node20",
    dts: false,
    outputOptions: { codeSplitting: false },
    config: false,
    logLevel: "silent",
  });
  const processes = Array.from({ length: Math.ceil(count / agentsInEach) }, () => fork(join(folder, "agents.mjs")));
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  let next = 0;
  const joinNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const host = processes[index % processes.length];
      if (host === undefined) return;
      ask(host, { kind: "start", index, values: valuesOf(index) });
      await answer(host, (told) => told.kind === "joined" && told.index === index);
    }
  };
  try {
    await Promise.all(Array.from({ length: joinersAtATime }, joinNext));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pids: processes.map(({ pid = 0 }) => pid),
    stop,
    calls: async () => (await Promise.all(processes.map(callsOf))).flat(),
  };
}

async function callsOf(host: ChildProcess): Promise<readonly number[]> {
  const told = answer(host, ({ kind }) => kind === "calls");
  ask(host, { kind: "calls" });
  const { counts } = (await told) as Extract<AgentsAnswer, { kind: "calls" }>;
  return counts;
}

function ask(host: ChildProcess, request: AgentsRequest): void {
  host.send(request);
}

function answer(host: ChildProcess, isWanted: (told: AgentsAnswer) => boolean): Promise<AgentsAnswer> {
  return new Promise((done, reject) => {
    const stop = (): void => {
      host.off("message", onMessage);
      host.off("exit", onExit);
    };
    const onExit = (): void => {
      stop();
      reject(new Error("a process of agents ended"));
    };
    const onMessage = (told: AgentsAnswer): void => {
      if (!isWanted(told)) return;
      stop();
      done(told);
    };
    host.setMaxListeners(0);
    host.on("message", onMessage);
    host.on("exit", onExit);
  });
}

async function end(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const ended = once(host, "exit");
  if (host.connected) ask(host, { kind: "stop" });
  await ended;
}
