import { readFile } from "node:fs/promises";
import { writeFileAtomically } from "../system/write-file-atomically.ts";
import { parseJson } from "../core/parse-json.ts";

/** Ports that the system chose, kept so that the next start listens where kubeconfigs point to. */
export interface PortBook {
  /** 0 when nothing is known yet. */
  portOf(name: string): Promise<number>;
  remember(name: string, port: number): Promise<void>;
}

export async function openPortBook(path: string): Promise<PortBook> {
  const ports = new Map(Object.entries(await readPorts(path)));
  return {
    portOf: async (name) => ports.get(name) ?? 0,
    remember: async (name, port) => {
      if (ports.get(name) === port) return;
      ports.set(name, port);
      await writeFileAtomically(path, `${JSON.stringify(Object.fromEntries(ports), undefined, 2)}\n`);
    },
  };
}

async function readPorts(path: string): Promise<Record<string, number>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return {}; // the first start
  }
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
