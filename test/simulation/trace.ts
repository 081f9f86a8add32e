import { createHash } from "node:crypto";

export interface Trace {
  add(elapsedMs: number, node: string, what: string): void;
  /** sha256 of all lines so far. */
  digest(): string;
}

/** Lines are taken into the hash together: for each alone that takes longer than to make the line. */
const heldCharacters = 16 * 1024;

/** Every event as one line. Equal digests mean that two runs were the same, event by event. */
export function createTrace(print: ((line: string) => void) | undefined): Trace {
  const hash = createHash("sha256");
  let held = "";
  const takeHeld = (): void => {
    hash.update(held);
    held = "";
  };
  return {
    add: (elapsedMs, node, what) => {
      const line = `${elapsedMs.toFixed(3)} ${node} ${what}\n`;
      held += line;
      if (held.length > heldCharacters) takeHeld();
      print?.(line);
    },
    digest: () => {
      takeHeld();
      return hash.copy().digest("hex");
    },
  };
}
