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
  /** Open connections; a further one is refused. */
  readonly inAll: number;
  /** Open connections of clients that have not proved who they are, and those from one address. */
  readonly strangers: number;
  readonly strangersOfAddress: number;
  /** How long a TLS handshake may take, and the head of a request of HTTP/1. */
  readonly handshakeMs: number;
  readonly headMs: number;
  /** How long a stranger may take before another one from its address ends it. */
  readonly patienceMs: number;
}

/** 10,000 agents that come back at once are strangers until their first requests. */
export const connectionLimits: ConnectionLimits = {
  inAll: 40_000,
  strangers: 12_000,
  strangersOfAddress: 8_000,
  handshakeMs: 60_000,
  headMs: 30_000,
  patienceMs: 5_000,
};

interface Entry {
  readonly key: string;
  readonly connection: Connection;
  readonly address: string;
  readonly sinceMs: number;
}

/**
 * Bounds the connections of unauthenticated clients, so that one that opens many and sends nothing blocks no other.
 * Over the limit of one address, or of all: the oldest connection of the address with the most is closed if the new one
 * comes from another address, otherwise one that exceeded its time; without such a one the new one is refused. Returns
 * the function to call for a connection whose client is authenticated: it is never closed for others.
 */
export function boundStrangers(
  server: Server,
  limits: Omit<ConnectionLimits, "handshakeMs" | "headMs">,
  monotonicMs: () => number,
): (connection: Pick<Connection, "remoteAddress" | "remotePort">) => void {
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
    });
    const end = (victim: Entry): void => {
      forget(victim.key);
      victim.connection.destroy();
    };
    const [oldest = entry] = own;
    const impatient = oldest.sinceMs <= nowMs - limits.patienceMs ? oldest : entry;
    if (openCount > limits.inAll) end(entry);
    else if (own.size > limits.strangersOfAddress) end(impatient);
    else if (strangers.size > limits.strangers) {
      const busiest = [...ofAddresses.values()].reduce((most, one) => (one.size > most.size ? one : most), own);
      const [first = entry] = busiest;
      end(busiest === own ? impatient : first);
    }
  });
  return (connection) => forget(keyOf(connection));
}

function keyOf({ remoteAddress = "", remotePort = 0 }: Pick<Connection, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}
