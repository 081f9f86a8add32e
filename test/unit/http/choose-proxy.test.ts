import { describe, expect, it } from "vitest";
import { chooseProxy, isLoopback } from "../../../src/http/choose-proxy.ts";

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
