import { Turns } from "../../core/turns.ts";
import type { UserInfo } from "../auth/auth.ts";
import { badRequest, tooManyRequests } from "../failures/failures.ts";

export interface QueueLimits {
  /** Requests that begin in one turn of the event loop. */
  readonly perTurn: number;
  /** Requests in flight of one user, and of all. */
  readonly perUser: number;
  readonly inAll: number;
  /** Requests of one user, and of all, that wait to begin. */
  readonly userWaiting: number;
  readonly allWaiting: number;
}

/** In flight as kube-apiserver has it by default (400 reading, 200 writing). */
export const queueLimits: QueueLimits = {
  perTurn: 16,
  perUser: 200,
  inAll: 600,
  userWaiting: 1_000,
  allWaiting: 20_000,
};

/** Whether a user's next request may begin, for what it leaves unread of answers. */
export interface AnswerRoom {
  hasRoom(username: string): boolean;
  /** Calls back whenever a user may have room again. */
  onRoom(listener: () => void): void;
}

const endlessRoom: AnswerRoom = { hasRoom: () => true, onRoom: () => undefined };

interface Flow {
  inFlight: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets requests begin, round robin between users, so that one that sends many delays another by no more than a turn of
 * the event loop for each user. Without a crowd a request begins at once. `nextTurn` calls back in the next turn. A class
 * for its queues.
 */
export class RequestQueue {
  private readonly limits: QueueLimits;
  private readonly room: AnswerRoom;
  private readonly turns: Turns;
  private readonly flows = new Map<string, Flow>();
  /** Users with a request that may begin when there is room, in the order of their turns. */
  private readonly ready = new Set<string>();
  /** Users with a request that waits for room. */
  private readonly heldBack = new Set<string>();
  private inFlight = 0;
  private waiting = 0;

  constructor(nextTurn: (callback: () => void) => void, limits: QueueLimits = queueLimits, room = endlessRoom) {
    this.turns = new Turns(nextTurn, () => this.beginWaiting());
    this.limits = limits;
    this.room = room;
    room.onRoom(() => {
      if (this.heldBack.size > 0) this.turns.plan();
    });
  }

  /**
   * Resolves when the request may begin, with what must be called once when it no longer counts; at once when there is
   * no crowd. Throws 429 when too many wait. A request that waits loses its place when `onGone` calls back.
   */
  enter(
    { username }: UserInfo,
    onGone: (listener: () => void) => void = () => undefined,
  ): (() => void) | Promise<() => void> {
    const flow = this.flows.get(username) ?? { inFlight: 0, waiting: [] };
    this.flows.set(username, flow);
    const { perUser, inAll, perTurn, userWaiting, allWaiting } = this.limits;
    const hasRoom = this.inFlight < inAll && this.turns.begun < perTurn && flow.inFlight < perUser;
    if (hasRoom && this.ready.size === 0 && this.room.hasRoom(username)) return this.begin(username, flow);
    if (flow.waiting.length >= userWaiting || this.waiting >= allWaiting) throw tooManyRequests(1);
    return new Promise((resolve, reject) => {
      const begin = (): void => resolve(this.begin(username, flow));
      flow.waiting.push(begin);
      onGone(() => {
        const place = flow.waiting.indexOf(begin);
        if (place < 0) return;
        flow.waiting.splice(place, 1);
        this.waiting -= 1;
        if (flow.waiting.length === 0) {
          this.ready.delete(username);
          this.heldBack.delete(username);
        }
        if (flow.waiting.length === 0 && flow.inFlight === 0) this.flows.delete(username);
        reject(badRequest("the client disconnected before the turn of its request"));
      });
      this.waiting += 1;
      if (flow.inFlight < perUser) this.ready.add(username);
      this.turns.plan();
    });
  }

  private begin(username: string, flow: Flow): () => void {
    this.turns.begun += 1;
    this.inFlight += 1;
    flow.inFlight += 1;
    this.turns.plan();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.inFlight -= 1;
      flow.inFlight -= 1;
      if (flow.waiting.length > 0) this.ready.add(username);
      else if (flow.inFlight === 0) this.flows.delete(username);
      if (this.ready.size > 0) this.turns.plan();
    };
  }

  private beginWaiting(): void {
    const { perUser, inAll, perTurn } = this.limits;
    for (const username of this.heldBack) if (this.room.hasRoom(username)) this.ready.add(username);
    for (const username of this.ready) {
      if (this.turns.begun >= perTurn || this.inFlight >= inAll) return;
      this.ready.delete(username);
      if (!this.room.hasRoom(username)) {
        this.heldBack.add(username);
        continue;
      }
      this.heldBack.delete(username);
      const flow = this.flows.get(username);
      const begin = flow?.waiting.shift();
      if (flow === undefined || begin === undefined) continue;
      this.waiting -= 1;
      begin();
      // Moves to the end of the round.
      if (flow.waiting.length > 0 && flow.inFlight < perUser) this.ready.add(username);
    }
  }
}
