import { constants } from "node:http2";
import type { UserInfo } from "../auth/auth.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";

export interface AnswerLimits {
  /** What answers of one user, and of all, may hold that their clients have not taken. */
  readonly userBytes: number;
  readonly totalBytes: number;
  /** An answer that is not taken for longer makes room for others. */
  readonly patienceMs: number;
}

const answerLimits: AnswerLimits = {
  userBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  patienceMs: 5_000,
};

/** Of an answer that is written piece by piece: its pieces, and what compresses them. */
const slicedBytes = 384 * 1024;
/** Of a request and its answer, besides what the client sent and what it does not take. */
const overheadBytes = 8 * 1024;
const mastersGroup = "system:masters";

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
  /** The oldest is first. */
  readonly entries: Set<Entry>;
}

/**
 * Bounds what clients leave unread of answers: over a limit those end that were not taken for longest, and without one that
 * exceeded its time the newest. Members of system:masters are bounded in all, not by user. A class for its accounts.
 */
export class AnswerBacklogs {
  private readonly monotonicMs: () => number;
  private readonly limits: AnswerLimits;
  private readonly users = new Map<string, Account>();
  private readonly all = newAccount();

  constructor(monotonicMs: () => number, limits: AnswerLimits = answerLimits) {
    this.monotonicMs = monotonicMs;
    this.limits = limits;
  }

  /** What is not taken now. */
  get heldBytes(): number {
    return this.all.heldBytes;
  }

  hold({ username, groups }: UserInfo, answer: HeldAnswer): void {
    const entry: Entry = { ...answer, username, sinceMs: this.monotonicMs() };
    const ofUser = this.users.get(username) ?? newAccount();
    this.users.set(username, ofUser);
    for (const account of [ofUser, this.all]) {
      account.entries.add(entry);
      account.heldBytes += entry.sizeBytes;
    }
    answer.onGone(() => this.forget(entry));
    if (!groups.includes(mastersGroup)) this.makeRoom(ofUser, this.limits.userBytes, entry);
    this.makeRoom(this.all, this.limits.totalBytes, entry);
  }

  private makeRoom(account: Account, mostBytes: number, newest: Entry): void {
    for (const entry of account.entries) {
      if (account.heldBytes <= mostBytes) return;
      const isLate = entry.sinceMs <= newest.sinceMs - this.limits.patienceMs;
      const victim = isLate ? entry : newest;
      this.forget(victim);
      victim.end();
      if (!isLate) return;
    }
  }

  private forget(entry: Entry): void {
    const ofUser = this.users.get(entry.username);
    if (ofUser?.entries.delete(entry) !== true) return;
    this.all.entries.delete(entry);
    for (const account of [ofUser, this.all]) account.heldBytes -= entry.sizeBytes;
    if (ofUser.entries.size === 0) this.users.delete(entry.username);
  }
}

function newAccount(): Account {
  return { heldBytes: 0, entries: new Set() };
}

/** What the answer to a request holds until its client takes it; undefined when it was taken, or never began. */
export function heldAnswer(request: HubRequest, response: HubResponse): HeldAnswer | undefined {
  if (!response.headersSent || response.destroyed || response.writableFinished) return undefined;
  const sentBytes = request.rawHeaders.reduce((sum, text) => sum + text.length, overheadBytes);
  const unsentBytes = "stream" in response ? response.stream.writableLength : response.writableLength;
  return {
    sizeBytes: sentBytes + unsentBytes + (response.writableEnded ? 0 : slicedBytes),
    end: () => {
      if ("stream" in response) response.stream.close(constants.NGHTTP2_CANCEL);
      else response.destroy();
    },
    onGone: (listener) => response.once("close", listener),
  };
}
