import { constants } from "node:http2";
import type { UserInfo } from "../auth/auth.ts";
import { isMaster } from "../auth/auth.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";

export interface AnswerLimits {
  /** What answers of one user, and of all, may hold that their clients have not taken. */
  readonly userBytes: number;
  readonly totalBytes: number;
  /** A user with less than this does not wait for what others leave. */
  readonly smallBytes: number;
  /** Beyond a limit, answers that were not taken for longer end. */
  readonly patienceMs: number;
}

const answerLimits: AnswerLimits = {
  userBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  smallBytes: 1024 * 1024,
  // As long as kube-apiserver gives a request.
  patienceMs: 60_000,
};

/** Of an answer that is written piece by piece: its pieces, and what compresses them. */
const slicedBytes = 384 * 1024;
/** Of a request and its answer, besides what the client sent and what it does not take. */
const overheadBytes = 8 * 1024;

/** An answer that its client has not taken. */
export interface HeldAnswer {
  readonly sizeBytes: number;
  readonly end: () => void;
  /** Calls back when it is taken, or given up. */
  readonly onGone: (listener: () => void) => void;
}

interface Entry extends HeldAnswer {
  readonly username: string;
  readonly sinceMs: number;
}

interface Account {
  heldBytes: number;
  /** Its answers end for what others leave, not for what this user leaves. */
  readonly isUnbounded: boolean;
  /** The oldest is first. */
  readonly entries: Set<Entry>;
}

interface AnswerTimes {
  readonly monotonicMs: () => number;
  /** Calls back once, after so many milliseconds. */
  readonly later: (delayMs: number, then: () => void) => void;
}

/**
 * Bounds what clients leave unread of answers. A user over a limit has no room: its next requests wait until it takes answers,
 * and those end that it has not taken for the patience. What is answered without waiting, as refusals are, may fill twice a
 * limit, from where the newest answer ends at once. Members of system:masters are bounded in all, not by user. A class for
 * its accounts.
 */
export class AnswerBacklogs {
  private readonly times: AnswerTimes;
  private readonly limits: AnswerLimits;
  private readonly users = new Map<string, Account>();
  private readonly listeners: (() => void)[] = [];
  private heldBytes = 0;
  private isEndPlanned = false;

  constructor(times: AnswerTimes, limits: AnswerLimits = answerLimits) {
    this.times = times;
    this.limits = limits;
  }

  /** Whether a request of this user may begin. */
  hasRoom(username: string): boolean {
    const account = this.users.get(username);
    return account === undefined || !this.isOver(account, 1);
  }

  /** Calls back whenever a user may have room again. */
  onRoom(listener: () => void): void {
    this.listeners.push(listener);
  }

  hold(user: UserInfo, answer: HeldAnswer): void {
    const { username } = user;
    const account = this.users.get(username) ?? newAccount(user);
    this.users.set(username, account);
    const entry: Entry = { ...answer, username, sinceMs: this.times.monotonicMs() };
    account.entries.add(entry);
    account.heldBytes += entry.sizeBytes;
    this.heldBytes += entry.sizeBytes;
    answer.onGone(() => this.forget(account, entry));
    if (this.isOver(account, 2)) this.end(account, entry);
    this.endLate(account);
    // Others may be over the limit of all by this answer.
    if (this.heldBytes > this.limits.totalBytes) this.planEnd();
  }

  private isOver({ heldBytes, isUnbounded }: Account, times: 1 | 2): boolean {
    const { userBytes, totalBytes, smallBytes } = this.limits;
    if (!isUnbounded && heldBytes > times * userBytes) return true;
    return this.heldBytes > times * totalBytes && heldBytes > smallBytes;
  }

  private planEnd(): void {
    if (this.isEndPlanned) return;
    this.isEndPlanned = true;
    this.times.later(this.limits.patienceMs, () => {
      this.isEndPlanned = false;
      for (const account of this.users.values()) this.endLate(account);
    });
  }

  private endLate(account: Account): void {
    const lateMs = this.times.monotonicMs() - this.limits.patienceMs;
    for (const entry of account.entries) {
      if (!this.isOver(account, 1)) return;
      if (entry.sinceMs > lateMs) return this.planEnd();
      this.end(account, entry);
    }
  }

  private end(account: Account, entry: Entry): void {
    this.forget(account, entry);
    entry.end();
  }

  private forget(account: Account, entry: Entry): void {
    if (!account.entries.delete(entry)) return;
    account.heldBytes -= entry.sizeBytes;
    this.heldBytes -= entry.sizeBytes;
    if (account.entries.size === 0) this.users.delete(entry.username);
    for (const listener of this.listeners) listener();
  }
}

function newAccount(user: UserInfo): Account {
  return { heldBytes: 0, isUnbounded: isMaster(user), entries: new Set() };
}

/** What the answer to a request holds until its client takes it; undefined when it was taken, or never began. */
export function heldAnswer(request: HubRequest, response: HubResponse): HeldAnswer | undefined {
  // A response of HTTP/2 does not know that its stream was destroyed.
  const { destroyed, closed, writableLength } = "stream" in response ? response.stream : response;
  if (!response.headersSent || destroyed || closed || response.writableFinished) return undefined;
  const sentBytes = request.rawHeaders.reduce((sum, text) => sum + text.length, overheadBytes);
  return {
    sizeBytes: sentBytes + writableLength + (response.writableEnded ? 0 : slicedBytes),
    end: () => {
      if ("stream" in response) response.stream.close(constants.NGHTTP2_CANCEL);
      else response.destroy();
    },
    onGone: (listener) => response.once("close", listener),
  };
}
