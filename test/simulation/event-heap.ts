/** Something that happens at a moment of simulated time. */
export interface SimEvent {
  dueMs: number;
  /** Decides between events of one moment. */
  readonly tie: number;
  readonly sequence: number;
  readonly what: string;
  readonly run: () => void;
  isCancelled: boolean;
}

/** A binary heap: the event that is due first comes first. */
export class EventHeap<E extends SimEvent> {
  readonly #events: E[] = [];

  get size(): number {
    return this.#events.length;
  }

  /** In no order. */
  get events(): readonly E[] {
    return this.#events;
  }

  peek(): E | undefined {
    return this.#events[0];
  }

  push(event: E): void {
    const events = this.#events;
    let place = events.length;
    events.push(event);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = events[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      events[place] = parent;
      place = above;
    }
    events[place] = event;
  }

  /** Puts all events in order again, after times of some were changed. */
  reorder(): void {
    for (const event of this.#events.splice(0)) this.push(event);
  }

  pop(): E | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let place = 0;
    for (;;) {
      const left = events[2 * place + 1];
      const right = events[2 * place + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, last)) break;
      events[place] = child;
      place = 2 * place + (isRight ? 2 : 1);
    }
    events[place] = last;
    return first;
  }
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  return a.tie === b.tie ? a.sequence < b.sequence : a.tie < b.tie;
}
