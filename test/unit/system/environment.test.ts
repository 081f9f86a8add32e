import { describe, expect, it } from "vitest";
import { defaultCacheDir } from "../../../src/system/cache-dir.ts";
import { proxyOf } from "../../../src/http/choose-proxy.ts";

const server = "https://git.example.com/fleet";

describe("variables of the environment", () => {
  it.each(["HTTPS_PROXY", "https_proxy"])("%s names the proxy", (name) => {
    expect(proxyOf(server, { [name]: "http://proxy.example.com:3128" })).toContain("proxy.example.com");
  });

  it.each(["NO_PROXY", "no_proxy"])("%s names what is reached without the proxy", (name) => {
    const proxy = { HTTPS_PROXY: "http://proxy.example.com:3128" };
    expect(proxyOf(server, { ...proxy, [name]: "git.example.com" })).toBeUndefined();
    expect(proxyOf(server, { ...proxy, [name]: "other.example.com" })).toBeDefined();
  });

  it("XDG_CACHE_HOME is the folder of copies", () => {
    expect(defaultCacheDir(server, { XDG_CACHE_HOME: "/caches" })).toMatch(/^\/caches\/rollcall\//u);
    expect(defaultCacheDir(server, {})).toMatch(/\/\.cache\/rollcall\//u);
    // A relative one would be a folder of the repository in which the command is started.
    for (const relative of ["caches", "", "."])
      expect(defaultCacheDir(server, { XDG_CACHE_HOME: relative })).toMatch(/^\/.*\/\.cache\/rollcall\//u);
    for (const HOME of ["", "home"]) expect(defaultCacheDir(server, { HOME })).toMatch(/^\/.*\/\.cache\/rollcall\//u);
  });
});
