import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { OpenStreams } from "../../../../src/embedded-hub/http/open-streams.ts";

/** Connections that open streams, and those that were ended, by their names. */
function start() {
  const streams = new OpenStreams({ most: 10, mostInCrowd: 2 });
  const ended: string[] = [];
  const connections = new Map<string, object>();
  const connectionOf = (name: string): object => {
    const connection = connections.get(name) ?? { name };
    connections.set(name, connection);
    return connection;
  };
  const open = (name: string, count: number, account?: string) =>
    Array.from({ length: count }, () => {
      const stream = new EventEmitter();
      streams.add({ connection: connectionOf(name), group: { account }, end: () => void ended.push(name) }, stream);
      return stream;
    });
  return { streams, ended, open, connectionOf };
}

describe("OpenStreams", () => {
  it("A183 ends the connection that has had a crowd for longest, and no other", () => {
    const { ended, open } = start();
    open("a few", 2);
    open("first", 3);
    open("second", 5);
    expect(ended).toEqual([]);
    open("another", 1);
    expect(ended).toEqual(["first"]);
    open("another", 3);
    expect(ended).toEqual(["first", "second"]);
  });

  it("A183 ends none of those that have few each, however many these are", () => {
    const { ended, open } = start();
    for (let index = 0; index < 20; index += 1) open(`connection ${index}`, 2);
    expect(ended).toEqual([]);
  });

  it("A183 counts what is open, each stream once", () => {
    const { ended, open } = start();
    for (let round = 0; round < 5; round += 1) for (const stream of open("one", 9)) stream.emit("close");
    open("one", 10);
    expect(ended).toEqual([]);
    open("one", 1);
    expect(ended).toEqual(["one"]);
    open("two", 10);
    expect(ended).toEqual(["one"]);
  });

  it("A183 counts each account by itself, strangers together, and administrators not at all", () => {
    const { streams, ended, open, connectionOf } = start();
    const administrator = { connection: {}, group: undefined, end: () => void ended.push("administrator") };
    for (let count = 0; count < 50; count += 1) streams.add(administrator, new EventEmitter());
    open("agent", 10, "agent");
    open("other", 10, "other");
    open("proved", 9);
    streams.regroup(connectionOf("proved"), { account: "third" });
    open("stranger", 9);
    expect(ended).toEqual([]);
    open("agent again", 3, "agent");
    expect(ended).toEqual(["agent"]);
    streams.regroup(connectionOf("stranger"), undefined);
    open("late", 10);
    expect(ended).toEqual(["agent"]);
  });
});
