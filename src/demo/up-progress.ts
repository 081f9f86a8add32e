import { clearScreenDown, moveCursor } from "node:readline";
import { printable } from "../core/printable.ts";

/** Where a cluster is on its way. */
export interface Step {
  readonly cluster: string;
  /** Named as in docs/cluster-states.md. */
  readonly state: string;
  readonly detail: string;
  /** It is Ready, and its agent has sent a heartbeat since this process started. */
  readonly isDone: boolean;
}

/** What `up` shows: a table that moves on a terminal, a line for each step in a log. */
export interface Progress {
  print(line: string): void;
  show(steps: readonly Step[]): void;
  end(text: string): void;
  close(): void;
}

export function createProgress(stdout: NodeJS.WriteStream): Progress {
  let shownLines = 0;
  let isEnded = false;
  const last = new Map<string, string>();
  const erase = (): void => {
    if (shownLines === 0) return;
    moveCursor(stdout, 0, -shownLines);
    clearScreenDown(stdout);
    shownLines = 0;
  };
  return {
    print: (line) => stdout.write(`${line}\n`),
    show: (steps) => {
      if (isEnded) return;
      if (stdout.isTTY) {
        const lines = tableOf(steps, stdout.rows);
        erase();
        const width = Math.max(20, stdout.columns);
        stdout.write(lines.map((line) => `${line.slice(0, width - 1)}\n`).join(""));
        shownLines = lines.length;
        return;
      }
      for (const { cluster, state } of steps) {
        if (last.get(cluster) === state) continue;
        last.set(cluster, state);
        stdout.write(`  ${cluster.padEnd(28)} ${state}\n`);
      }
    },
    end: (text) => {
      isEnded = true;
      stdout.write(`\n${text}\n`);
    },
    close: () => {
      isEnded = true;
    },
  };
}

/**
 * A line for each cluster. Where they do not fit on a terminal with so many rows, which could then not move up to the first one,
 * those that are not done come first, and the others are counted. A terminal that does not know its rows has 0.
 */
function tableOf(steps: readonly Step[], rows: number): string[] {
  const most = rows > 2 ? rows - 1 : Infinity;
  if (steps.length <= most) return steps.map(lineOf);
  const byNeed = [...steps.filter(({ isDone }) => !isDone), ...steps.filter(({ isDone }) => isDone)];
  return [...byNeed.slice(0, most - 1).map(lineOf), `  and ${steps.length - most + 1} more`];
}

function lineOf({ cluster, state, detail }: Step): string {
  return printable(`  ${cluster.padEnd(28)} ${state.padEnd(16)} ${detail}`.trimEnd());
}
