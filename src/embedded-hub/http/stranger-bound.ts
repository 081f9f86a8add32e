/** What a bound needs to know of a connection. Its address and port name it. */
interface Connection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

interface Server {
  on(event: "connection", listener: (connection: Connection) => void): unknown;
}

export interface ConnectionLimits {
  /** Open connections; for a further one the oldest of a crowd ends, and without a crowd it is refused. */
  readonly inAll: number;
  /** An account with more open connections is a crowd. */
  readonly crowd: number;
  /** Open connections of clients that have not proved who they are, and those from one address. */
  readonly strangers: number;
  readonly strangersOfAddress: number;
  /** How long a TLS handshake may take, and the head of a request of HTTP/1. */
  readonly handshakeMs: number;
  readonly headMs: number;
  /** How long a stranger may take before another one from its address ends it. */
  readonly patienceMs: number;
  /** A session of HTTP/2 that sends nothing for three times as long ends, though it was asked for the last third. */
  readonly unresponsiveMs: number;
}

/** 10,000 agents that come back at once are strangers until their first requests. */
export const connectionLimits: ConnectionLimits = {
  inAll: 40_000,
  crowd: 1_000,
  strangers: 12_000,
  strangersOfAddress: 8_000,
  handshakeMs: 60_000,
  headMs: 30_000,
  patienceMs: 5_000,
  unresponsiveMs: 30_000,
};

interface Entry {
  readonly key: string;
  readonly connection: Connection;
  readonly address: string;
  readonly sinceMs: number;
  /** Whose it is, once that is known. */
  account?: string;
}

/**
 * Bounds the connections of unauthenticated clients, so that one that opens many and sends nothing blocks no other.
 * Over the limit of one address, or of all: the oldest connection of the address with the most is closed if the new one
 * comes from another address, otherwise one that exceeded its time; without such a one the new one is refused. Returns
 * the function to call for a connection whose client is authenticated: it is closed for others only when all connections are used
 * and its account has a crowd of them. Without an account, as of an administrator, it never is.
 */
export function boundStrangers(
  server: Server,
  limits: Omit<ConnectionLimits, "handshakeMs" | "headMs" | "unresponsiveMs">,
  monotonicMs: () => number,
): (connection: Pick<Connection, "remoteAddress" | "remotePort">, account: string | undefined) => void {
  const accounts = boundAccounts(limits.crowd);
  const strangers = new Map<string, Entry>();
  const ofAddresses = new Map<string, Set<Entry>>();
  let openCount = 0;
  const forget = (key: string): void => {
    const entry = strangers.get(key);
    const ofAddress = entry && ofAddresses.get(entry.address);
    if (entry === undefined || ofAddress === undefined) return;
    strangers.delete(key);
    ofAddress.delete(entry);
    if (ofAddress.size === 0) ofAddresses.delete(entry.address);
  };
  server.on("connection", (connection) => {
    const key = keyOf(connection);
    const { remoteAddress: address = "" } = connection;
    const nowMs = monotonicMs();
    const entry: Entry = { key, connection, address, sinceMs: nowMs };
    const own = ofAddresses.get(address) ?? new Set();
    ofAddresses.set(address, own.add(entry));
    strangers.set(key, entry);
    openCount += 1;
    connection.once("close", () => {
      openCount -= 1;
      if (strangers.get(key) === entry) forget(key);
      accounts.delete(entry);
    });
    const end = (victim: Entry): void => {
      if (strangers.get(victim.key) === victim) forget(victim.key);
      accounts.delete(victim);
      victim.connection.destroy();
    };
    const [oldest = entry] = own;
    const impatient = oldest.sinceMs <= nowMs - limits.patienceMs ? oldest : entry;
    if (openCount > limits.inAll) end(accounts.oldestOfCrowd() ?? entry);
    else if (own.size > limits.strangersOfAddress) end(impatient);
    else if (strangers.size > limits.strangers) {
      const busiest = [...ofAddresses.values()].reduce((most, one) => (one.size > most.size ? one : most), own);
      const [first = entry] = busiest;
      end(busiest === own ? impatient : first);
    }
  });
  return (connection, account) => {
    const key = keyOf(connection);
    const entry = strangers.get(key);
    forget(key);
    if (entry !== undefined && account !== undefined) accounts.add(account, entry);
  };
}

interface Accounts {
  readonly add: (account: string, entry: Entry) => void;
  readonly delete: (entry: Entry) => void;
  /** Of the account with the most connections, if it has a crowd of them. */
  readonly oldestOfCrowd: () => Entry | undefined;
}

/** The connections of each account, and apart from them the crowds. */
function boundAccounts(crowd: number): Accounts {
  const accounts = new Map<string, Set<Entry>>();
  const crowds = new Set<Set<Entry>>();
  return {
    add: (account, entry) => {
      const own = accounts.get(account) ?? new Set();
      accounts.set(account, own.add(entry));
      entry.account = account;
      if (own.size > crowd) crowds.add(own);
    },
    delete: (entry) => {
      const own = accounts.get(entry.account ?? "");
      if (own?.delete(entry) !== true) return;
      if (own.size <= crowd) crowds.delete(own);
      if (own.size === 0) accounts.delete(entry.account ?? "");
    },
    oldestOfCrowd: () => {
      const [oldest] = [...crowds].reduce((most, one) => (one.size > most.size ? one : most), new Set<Entry>());
      return oldest;
    },
  };
}

/** Names a connection of TCP among the open ones. */
export function keyOf({
  remoteAddress = "",
  remotePort = 0,
}: Pick<Connection, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}
