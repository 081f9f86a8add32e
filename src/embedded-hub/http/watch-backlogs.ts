import type { UserInfo } from "../auth/auth.ts";
import { isMaster } from "../auth/auth.ts";
import { tooManyRequests } from "../failures/failures.ts";

export interface WatchLimits {
  /** How many watches one connection and one user may have open. */
  readonly perConnection: number;
  readonly perUser: number;
  /** What may be unread by one watch, on one connection, by one user, and by all, besides what was unread when a watch began. */
  readonly watchBytes: number;
  readonly connectionBytes: number;
  readonly userBytes: number;
  readonly totalBytes: number;
  /** How long the selectors of one user's watches, and of all, may be together: each event is compared with each of them. */
  readonly userSelectorCharacters: number;
  readonly totalSelectorCharacters: number;
}

const watchLimits: WatchLimits = {
  perConnection: 1_000,
  perUser: 2_000,
  watchBytes: 16 * 1024 * 1024,
  connectionBytes: 32 * 1024 * 1024,
  userBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  userSelectorCharacters: 1024 * 1024,
  totalSelectorCharacters: 8 * 1024 * 1024,
};

/** A watch with less unread than this is not ended for what others leave unread. */
const smallBacklogBytes = 1024 * 1024;
/** A watch with a shorter selector is not refused for the long ones of others. */
const smallSelectorCharacters = 1024;

interface Account {
  watches: number;
  selectorCharacters: number;
  heldBytes: number;
  /** The most that was unread of the state that one of its watches began with: it is read at the client's own pace. */
  initialBytes: number;
}

/** What one open watch has unread. */
export interface WatchBacklog {
  /** Adds what is written; false when the watch must be cut off. Always true before {@link begin}. */
  add(sizeBytes: number): boolean;
  /** Whether more of the initial state may be written: else it waits for the client. */
  hasRoom(): boolean;
  /** Takes away what the client has read. */
  take(sizeBytes: number): void;
  /** The initial state has been written: the limits count from here. */
  begin(): void;
  /** The watch has ended. */
  end(): void;
}

/**
 * Bounds what the clients of watches leave unread, as kube-apiserver ends slow watchers. Members of system:masters are
 * bounded for each watch and in all, not by connection and user. A class for its accounts.
 */
export class WatchBacklogs {
  private readonly limits: WatchLimits;
  private readonly users = new Map<string, Account>();
  private readonly connections = new Map<object, Account>();
  private readonly all = newAccount();

  constructor(limits: WatchLimits = watchLimits) {
    this.limits = limits;
  }

  /** Unread bytes of all watches. */
  get heldBytes(): number {
    return this.all.heldBytes;
  }

  get watchCount(): number {
    return this.all.watches;
  }

  /** @throws ApiFailure 429 when the connection or the user has too many watches, selectors or unread bytes already */
  open(user: UserInfo, connection: object, selectorCharacters = 0): WatchBacklog {
    const { limits, all } = this;
    const isUnbounded = isMaster(user);
    const ofUser = this.users.get(user.username) ?? newAccount();
    const ofConnection = this.connections.get(connection) ?? newAccount();
    const bounded = isUnbounded
      ? []
      : ([
          [ofConnection, limits.perConnection, limits.connectionBytes],
          [ofUser, limits.perUser, limits.userBytes],
        ] as const);
    for (const [account, most, mostBytes] of bounded) {
      if (account.watches >= most || account.heldBytes > mostBytes + account.initialBytes) throw tooManyRequests(1);
    }
    const isOverUser = ofUser.selectorCharacters + selectorCharacters > limits.userSelectorCharacters;
    if (isOverUser && !isUnbounded && selectorCharacters > 0) throw tooManyRequests(1);
    const isOverAll = all.selectorCharacters + selectorCharacters > limits.totalSelectorCharacters;
    if (isOverAll && selectorCharacters > smallSelectorCharacters) throw tooManyRequests(1);
    if (all.heldBytes > limits.totalBytes + all.initialBytes) throw tooManyRequests(1);
    this.users.set(user.username, ofUser);
    this.connections.set(connection, ofConnection);
    const accounts = [all, ofUser, ofConnection];
    for (const account of accounts) {
      account.watches += 1;
      account.selectorCharacters += selectorCharacters;
    }
    let heldBytes = 0;
    let initialBytes: number | undefined;
    let hasEnded = false;
    const move = (sizeBytes: number): void => {
      heldBytes += sizeBytes;
      for (const account of accounts) account.heldBytes += sizeBytes;
    };
    const isOver = (): boolean => {
      if (heldBytes > limits.watchBytes + (initialBytes ?? 0)) return true;
      if (bounded.some(([account, , most]) => account.heldBytes > most + account.initialBytes)) return true;
      return all.heldBytes > limits.totalBytes + all.initialBytes && heldBytes > smallBacklogBytes;
    };
    return {
      add: (sizeBytes) => {
        if (hasEnded) return false;
        const wasHeldBytes = heldBytes;
        move(sizeBytes);
        return initialBytes === undefined || wasHeldBytes === 0 || !isOver();
      },
      hasRoom: () => !isOver(),
      take: (sizeBytes) => {
        if (!hasEnded) move(-sizeBytes);
      },
      begin: () => {
        initialBytes = heldBytes;
        for (const account of accounts) account.initialBytes = Math.max(account.initialBytes, heldBytes);
      },
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        move(-heldBytes);
        for (const account of accounts) {
          account.watches -= 1;
          account.selectorCharacters -= selectorCharacters;
          if (account.watches === 0) account.initialBytes = 0;
        }
        if (ofUser.watches === 0) this.users.delete(user.username);
        if (ofConnection.watches === 0) this.connections.delete(connection);
      },
    };
  }
}

function newAccount(): Account {
  return { watches: 0, selectorCharacters: 0, heldBytes: 0, initialBytes: 0 };
}
