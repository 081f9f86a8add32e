import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { Clock, Random } from "../core/clock.ts";
import { AppError, describeError } from "../core/errors.ts";
import { writeFileAtomically } from "../system/write-file-atomically.ts";
import { parseJson } from "../core/parse-json.ts";

/** Ports that were chosen at a first start, kept so that the next start listens where kubeconfigs point to. */
export interface PortBook {
  /** Where this listened last; undefined when that is not known. */
  knownPortOf(name: string): number | undefined;
  /**
   * Where this listened before, also when something else listens there now; a free port when nothing is known yet. One that is
   * taken is waited for, two seconds at most: a process that was killed, or one that searches for a free port, soon releases it.
   */
  portOf(name: string): Promise<number>;
  /** The same, but another free port when something else listens there: for what receives its address at each start. */
  freePortOf(name: string): Promise<number>;
  remember(name: string, port: number): Promise<void>;
}

/**
 * Below the ranges from which systems take the ports of outgoing connections (32768 and up on Linux, 49152 and up elsewhere), and
 * below the NodePorts of Kubernetes: a port out of those may belong to any program's connection at the next start.
 */
const firstPort = 20_000;
const portCount = 10_000;
const mostTries = 50;
const longestWaitMs = 2_000;
const pollMs = 50;

export interface PortBookParts {
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly random: Random;
}

/** Reads the book of this path; without a file it is empty. @throws E_READ for a file that cannot be read */
export async function openPortBook(path: string, { clock, random }: PortBookParts): Promise<PortBook> {
  const ports = new Map(Object.entries(await readPorts(path)));
  return {
    knownPortOf: (name) => ports.get(name),
    portOf: async (name) => {
      const known = ports.get(name);
      if (known === undefined) return chooseFreePort(random);
      await waitUntilFree(known, clock);
      return known;
    },
    freePortOf: async (name) => {
      const known = ports.get(name);
      return known !== undefined && (await isFree(known)) ? known : chooseFreePort(random);
    },
    remember: async (name, port) => {
      if (ports.get(name) === port) return;
      ports.set(name, port);
      await writeFileAtomically(path, `${JSON.stringify(Object.fromEntries(ports), undefined, 2)}\n`);
    },
  };
}

async function waitUntilFree(port: number, clock: PortBookParts["clock"]): Promise<void> {
  const endMs = clock.monotonicMs() + longestWaitMs;
  while (!(await isFree(port)) && clock.monotonicMs() < endMs) await clock.sleep(pollMs);
}

/** 0, which lets the system choose, when all tries were in vain. */
async function chooseFreePort(random: Random): Promise<number> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const port = firstPort + Math.floor(random.next() * portCount);
    if (await isFree(port)) return port;
  }
  return 0;
}

/** False for whatever keeps this process from listening there. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port }, () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}

/** A person may have changed the file. */
function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}

async function readPorts(path: string): Promise<Record<string, number>> {
  if (!existsSync(path)) return {}; // the first start
  const parsed = parseJson(await readBook(path));
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, number] => isPort(entry[1])));
}

/** New ports would replace those of a file that cannot be read, and kubeconfigs would point to nothing. */
async function readBook(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const text = `read ${path}: ${describeError(error)}; make it readable, or delete it: then other ports are chosen`;
    throw new AppError("E_READ", text, { cause: error });
  }
}
