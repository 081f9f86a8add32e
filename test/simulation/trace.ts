import { createHash } from "node:crypto";

export interface Trace {
  add(elapsedMs: number, node: string, what: string): void;
  /** sha256 of all lines so far. */
  digest(): string;
}

/** Every event as one line. Equal digests mean that two runs were the same, event by event. */
export function createTrace(print: ((line: string) => void) | undefined): Trace {
  const hash = createHash("sha256");
  return {
    add: (elapsedMs, node, what) => {
      const line = `${elapsedMs.toFixed(3)} ${node} ${what}\n`;
      hash.update(line);
      print?.(line);
    },
    digest: () => hash.copy().digest("hex"),
  };
}
