import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ConnectionLimits } from "../../../../src/embedded-hub/http/stranger-bound.ts";
import { boundStrangers, connectionLimits } from "../../../../src/embedded-hub/http/stranger-bound.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server whose clock the test sets; `open` resolves when the server has seen the connection. */
async function start(limits: Partial<ConnectionLimits>): Promise<{
  readonly open: (address: string) => Promise<Socket>;
  readonly trust: (socket: Socket, account?: string) => void;
  /** The server greets each client that it keeps. */
  readonly isGreeted: (socket: Socket) => boolean;
  /** Of the server. */
  readonly openSockets: ReadonlySet<Socket>;
  readonly clock: { nowMs: number };
}> {
  const server: Server = createServer();
  const clock = { nowMs: 0 };
  const trust = boundStrangers(server, { ...connectionLimits, ...limits }, () => clock.nowMs);
  const openSockets = new Set<Socket>();
  server.on("connection", (socket) => {
    socket.on("error", () => undefined); // the client may end it
    openSockets.add(socket);
    socket.once("close", () => openSockets.delete(socket));
    socket.write("hello");
  });
  const greeted = new WeakSet<Socket>();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    clock,
    openSockets,
    isGreeted: (socket) => greeted.has(socket),
    open: async (localAddress) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      socket.on("error", () => undefined); // the server may end it
      socket.on("data", () => greeted.add(socket));
      closers.push(() => socket.destroy());
      await Promise.all([once(socket, "connect"), once(server, "connection")]);
      return socket;
    },
    trust: ({ localAddress, localPort }, account) =>
      trust({ remoteAddress: localAddress, remotePort: localPort }, account),
  };
}

const [here, there, elsewhere] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

async function ended(socket: Socket): Promise<void> {
  await expect.poll(() => socket.destroyed).toBe(true);
}

describe("boundStrangers", () => {
  it("A60 refuses the further connection of an address whose others are young", async () => {
    const { open } = await start({ strangersOfAddress: 2 });
    const kept = [await open(here), await open(here)];
    await ended(await open(here));
    expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it("A60 ends the oldest of an address that had its time", async () => {
    const { open, clock } = await start({ strangersOfAddress: 2, patienceMs: 5_000 });
    const [first, second] = [await open(here), await open(here)];
    clock.nowMs = 5_000;
    const third = await open(here);
    await ended(first);
    expect([second.destroyed, third.destroyed]).toEqual([false, false]);
  });

  it("A60 ends one of the address with the most for one of another address, however young", async () => {
    const { open } = await start({ strangers: 3 });
    const crowd = [await open(here), await open(here), await open(here)];
    const other = await open(there);
    await ended(crowd[0] ?? other);
    expect([crowd[1]?.destroyed, crowd[2]?.destroyed, other.destroyed]).toEqual([false, false, false]);
  });

  it("A60 ends none whose client proved who it is, and counts it in all alone", async () => {
    const { open, trust, clock } = await start({ strangersOfAddress: 1, inAll: 3 });
    const agent = await open(here);
    trust(agent);
    const stranger = await open(here);
    clock.nowMs = 60_000;
    const next = await open(here);
    await ended(stranger);
    expect([agent.destroyed, next.destroyed]).toEqual([false, false]);
    const another = await open(there);
    await ended(await open(elsewhere));
    expect([agent.destroyed, next.destroyed, another.destroyed]).toEqual([false, false, false]);
  });

  it("A170 ends the oldest of the account with the most connections when all are used, and keeps those of others", async () => {
    const { open, trust } = await start({ inAll: 6, crowd: 2 });
    const openAs = async (account: string | undefined): Promise<Socket> => {
      const socket = await open(here);
      trust(socket, account);
      return socket;
    };
    const administrator = await openAs(undefined);
    const few = [await openAs("few"), await openAs("few")];
    const crowd = [await openAs("crowd"), await openAs("crowd"), await openAs("crowd")];
    const newcomer = await open(there);
    await ended(crowd[0] ?? newcomer);
    const others = [administrator, ...few, crowd[1], crowd[2], newcomer];
    expect(others.map((socket) => socket?.destroyed)).toEqual(others.map(() => false));
    // None is a crowd any more.
    await ended(await open(elsewhere));
    expect(others.map((socket) => socket?.destroyed)).toEqual(others.map(() => false));
  });

  it("A170 counts no connection of an account that has ended", async () => {
    const { open, trust, openSockets } = await start({ inAll: 3, crowd: 1 });
    for (let round = 0; round < 3; round += 1) {
      const socket = await open(here);
      trust(socket, "agent");
      socket.destroy();
      await expect.poll(() => openSockets.size).toBe(0);
    }
    const kept = [await open(here), await open(here), await open(here)];
    for (const [index, socket] of kept.entries()) trust(socket, `agent-${index}`);
    await ended(await open(there));
    expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  });

  it("A60 counts a connection that ends no longer", async () => {
    const { open, isGreeted, openSockets } = await start({ strangersOfAddress: 1, inAll: 1 });
    for (let round = 0; round < 3; round += 1) {
      const socket = await open(here);
      socket.destroy();
      await expect.poll(() => openSockets.size).toBe(0);
    }
    const last = await open(here);
    await expect.poll(() => isGreeted(last) || last.destroyed).toBe(true);
    expect(isGreeted(last)).toBe(true);
  });
});
