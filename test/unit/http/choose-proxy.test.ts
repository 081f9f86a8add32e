import { describe, expect, it } from "vitest";
import { chooseProxy, isLinkLocal, isLoopback, isThisMachine } from "../../../src/http/choose-proxy.ts";

const httpsProxy = "http://proxy.example:3128";

describe("chooseProxy", () => {
  it.each([
    { server: "https://hub.example", noProxy: undefined, isProxied: true },
    { server: "https://hub.example", noProxy: "", isProxied: true },
    { server: "https://hub.example", noProxy: "*", isProxied: false },
    { server: "https://hub.example", noProxy: "hub.example", isProxied: false },
    { server: "https://hub.example", noProxy: " a.test , HUB.example ", isProxied: false },
    { server: "https://eu.hub.example", noProxy: "hub.example", isProxied: false },
    { server: "https://eu.hub.example", noProxy: ".hub.example", isProxied: false },
    { server: "https://hub.example", noProxy: ".hub.example", isProxied: true },
    { server: "https://eu.hub.example", noProxy: "*.hub.example", isProxied: false },
    { server: "https://otherhub.example", noProxy: "hub.example", isProxied: true },
    { server: "https://hub.example:6443", noProxy: "hub.example:6443", isProxied: false },
    { server: "https://hub.example:6443", noProxy: "hub.example:443", isProxied: true },
    { server: "https://hub.example", noProxy: "hub.example:443", isProxied: false },
    { server: "http://hub.example", noProxy: "hub.example:80", isProxied: false },
    { server: "http://hub.example", noProxy: "hub.example:443", isProxied: true },
    { server: "https://10.1.2.3", noProxy: "10.0.0.0/8", isProxied: false },
    { server: "https://11.1.2.3", noProxy: "10.0.0.0/8", isProxied: true },
    { server: "https://10.1.2.3", noProxy: "10.1.2.3", isProxied: false },
    { server: "https://10.1.2.3", noProxy: "10.1.2.0/99", isProxied: true },
    { server: "https://[fd00::7]:6443", noProxy: "fd00::/8", isProxied: false },
    { server: "https://[fd00::7]:6443", noProxy: "10.0.0.0/8", isProxied: true },
    { server: "https://[fd00::7]:6443", noProxy: "fd00::7", isProxied: false },
    { server: "https://[fd00::7]:6443", noProxy: "FD00:0:0::0007", isProxied: false },
    { server: "https://[fd00::7]:6443", noProxy: "[fd00::7]:6443", isProxied: false },
    { server: "https://[fd00::7]:6443", noProxy: "[fd00:0::7]:443", isProxied: true },
    { server: "https://[fd00::7]:6443", noProxy: "[fd00::7]", isProxied: false },
    { server: "https://[fd00::8]:6443", noProxy: "fd00::7", isProxied: true },
    { server: "https://10.1.2.3:6443", noProxy: "10.1.2.3:6443", isProxied: false },
    { server: "https://10.1.2.3", noProxy: "10.1.2.0/24", isProxied: false },
    { server: "https://10.1.3.3", noProxy: "10.1.2.0/24", isProxied: true },
    { server: "https://10.1.2.3", noProxy: "x10.1.2.0/24", isProxied: true },
    { server: "https://10.1.2.3", noProxy: "10.1.2.0/24x", isProxied: true },
    { server: "https://hub.example", noProxy: ",, .,*.", isProxied: true },
    { server: "https://eu.localhost:6443", noProxy: "", isProxied: false },
    { server: "https://127.0.0.1:6443", noProxy: "", isProxied: false },
    { server: "https://localhost:6443", noProxy: "", isProxied: false },
    { server: "https://[::1]:6443", noProxy: "", isProxied: false },
  ])("of $server with NO_PROXY $noProxy: $isProxied", ({ server, noProxy, isProxied }) => {
    expect(chooseProxy(server, { httpsProxy, noProxy })).toBe(isProxied ? httpsProxy : undefined);
  });

  it("is none when none is set, and may lack its scheme", () => {
    expect(chooseProxy("https://hub.example", {})).toBeUndefined();
    expect(chooseProxy("https://hub.example", { httpsProxy: "" })).toBeUndefined();
    expect(chooseProxy("https://hub.example", { httpsProxy: "proxy:3128" })).toBe("http://proxy:3128");
  });
});

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1", "[::ffff:7f00:1]"])(
    "is true for %s",
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each([
    "localhost.example.com",
    "notlocalhost",
    "128.0.0.1",
    "[::2]",
    "127.example.com",
    "a::ffff:7f",
    "[fd00::7f]",
  ])("is false for %s", (host) => expect(isLoopback(host)).toBe(false));
});

describe("isThisMachine", () => {
  it.each(["localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::ffff:0:0]", "::ffff:0.0.0.0", "::ffff:127.0.0.1"])(
    "A197 is true for %s, by which systems connect to themselves",
    (host) => expect(isThisMachine(host)).toBe(true),
  );

  it.each(["0.0.0.1", "::2", "[::ffff:a00:1]", "example.com"])("is false for %s", (host) =>
    expect(isThisMachine(host)).toBe(false),
  );
});

describe("isLinkLocal", () => {
  it.each([
    ...["169.254.169.254", "169.254.0.1", "fe80::1", "[febf::1]", "[FE80::1]", "[::ffff:a9fe:a9fe]"],
    ...["fd00:ec2::254", "[fd00:ec2::23]", "fd20:ce::254", "fd00:c1::a9fe:a9fe"],
    ...["100.100.100.200", "[::ffff:6464:64c8]", "168.63.129.16", "192.0.0.192", "[64:ff9b::a9fe:a9fe]"],
  ])("A88 is true for %s, where a cloud may give credentials", (host) => {
    expect(isLinkLocal(host)).toBe(true);
  });

  it.each([
    ...["169.253.0.1", "169.255.0.1", "fec0::1", "fd00:ec3::254", "fd20:ce::255", "fd00:c1::a9fe:a9ff"],
    ...["169.254.169.254.example.com", "x::ffff:a9fe", "::ffff:a9fd:1", ""],
  ])("is false for %s", (host) => {
    expect(isLinkLocal(host)).toBe(false);
  });
});
