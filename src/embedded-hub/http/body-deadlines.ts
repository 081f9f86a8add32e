import type { Clock } from "../../core/clock.ts";

const bodyWaitMs = 60_000;
const sweepMs = 5_000;

interface Waiting {
  readonly untilMs: number;
  readonly onLate: () => void;
}

/**
 * Ends bodies that do not arrive within a minute. One timer serves all requests, and none runs while no body is
 * awaited: a timer of its own would cost a request more than its parsing.
 */
export class BodyDeadlines {
  private readonly clock: Clock;
  private readonly waiting = new Map<object, Waiting>();
  private readonly stop = new AbortController();
  private isSweeping = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  await(request: object, onLate: () => void): void {
    this.waiting.set(request, { untilMs: this.clock.monotonicMs() + bodyWaitMs, onLate });
    if (!this.isSweeping) void this.sweep();
  }

  forget(request: object): void {
    this.waiting.delete(request);
  }

  close(): void {
    this.stop.abort();
  }

  private async sweep(): Promise<void> {
    this.isSweeping = true;
    try {
      while (this.waiting.size > 0) {
        await this.clock.sleep(sweepMs, this.stop.signal);
        const nowMs = this.clock.monotonicMs();
        for (const { untilMs, onLate } of [...this.waiting.values()]) if (untilMs <= nowMs) onLate();
      }
    } catch (error) {
      // Closed: no body is awaited any more.
      if (!this.stop.signal.aborted) throw error;
    } finally {
      this.isSweeping = false;
    }
  }
}
