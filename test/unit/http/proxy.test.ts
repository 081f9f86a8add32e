import { describe, expect, it } from "vitest";
import { proxyPassword, readProxy } from "../../../src/http/proxy.ts";

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

describe("the address of a proxy", () => {
  it.each([
    ["http://proxy:3128", undefined, ""],
    ["http://user:word@proxy:3128", basic("user:word"), "word"],
    ["http://user@proxy:3128", basic("user:"), ""],
    ["http://us%40er:p%3Aass%2F@proxy", basic("us@er:p:ass/"), "p:ass/"],
    ["http://user:50%@proxy", basic("user:50%"), "50%"],
  ])("%s", (text, authorization, password) => {
    const proxy = readProxy(text);
    expect({ authorization: proxy.authorization, password: proxy.password }).toEqual({ authorization, password });
    expect(proxyPassword(text)).toBe(password);
  });

  it("has no password when there is none, or when it is no URL", () => {
    expect([proxyPassword(undefined), proxyPassword("proxy without scheme")]).toEqual(["", ""]);
  });
});
