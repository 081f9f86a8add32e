import { countOf } from "../../core/count-of.ts";
import { leastTotal } from "../../core/long-work.ts";

/** How far a long work is. */
export interface ProgressBar {
  show(done: number, total: number): void;
  /** Takes the bar off the terminal; lines of a log stay. */
  end(): void;
}

/** Where it is shown: standard error, so that the output of the command stays as it is. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** 0: the terminal does not know. */
  readonly columns?: number;
}

const barWidth = 20;
const usualColumns = 80;

/**
 * A bar that moves on a terminal, and elsewhere a line at each tenth. `what` is done to things with the name `noun`:
 * `Read 3000 of 10000 files`. Fewer than 1,000 things show nothing.
 */
export function createProgressBar(output: ProgressOutput, what: string, noun: string): ProgressBar {
  let shownStep = -1;
  let isOnScreen = false;
  const steps = output.isTTY === true ? 100 : 10;
  return {
    show(done, total) {
      const step = Math.floor((done * steps) / Math.max(1, total));
      if (total < leastTotal || step === shownStep || (step === 0 && output.isTTY !== true)) return;
      shownStep = step;
      const text = `${what} ${done} of ${countOf(total, noun)}`;
      if (output.isTTY !== true) return void output.write(`${text}\n`);
      const filled = Math.round((done * barWidth) / total);
      isOnScreen = true;
      const bar = `[${"#".repeat(filled)}${" ".repeat(barWidth - filled)}] ${text}`;
      // Of a line that is broken, only the last part could be taken away.
      const columns = output.columns || usualColumns;
      output.write(`\r\u001b[K${bar.length < columns ? bar : text.slice(0, columns - 1)}`);
    },
    end() {
      if (isOnScreen) output.write("\r\u001b[K");
      isOnScreen = false;
    },
  };
}
