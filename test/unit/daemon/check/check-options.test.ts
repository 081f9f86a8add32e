import { describe, expect, it } from "vitest";
import { checkOptions } from "../../../../src/daemon/check/check-options.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

const repo = "https://git.example.com/fleet.git";
const checked = (given: Readonly<Record<string, string | boolean>>) =>
  checkOptions(readSettings("check", { given: { repo, ...given }, environment: {} }));

describe("checkOptions", () => {
  it.each<[Readonly<Record<string, string>>, string]>([
    [{}, "1 option given"],
    [{ interval: "90s", "write-back-interval": "2m" }, "3 options given"],
    [{ "metrics-address": ":8080", "page-address": "127.0.0.1:8081" }, "3 options given"],
    [{ "page-address": ":8081", "page-access": "Token" }, "3 options given"],
  ])("accepts %j", (given, message) => {
    expect(checked(given)).toEqual({ message });
  });

  it.each<[Readonly<Record<string, string | boolean>>, string]>([
    [
      { "page-address": "127.0.0.1:8081", "page-access": "Open", "page-actions": true },
      "--page-access Open has none: use --page-access Token",
    ],
    [{ interval: "soon" }, "--interval: soon is no duration"],
    [{ interval: "-1m" }, "--interval: -1m is no duration"],
    [{ "write-back-interval": "1 minute" }, "--write-back-interval: 1 minute is no duration"],
    [{ "publish-removal-timeout": "15" }, "--publish-removal-timeout: 15 is no duration"],
    [{ "metrics-address": "8080" }, "--metrics-address is not host:port: 8080"],
    [{ "page-address": "127.0.0.1:99999" }, "--page-address is not host:port"],
    [{ "page-address": "0.0.0.0:8081", "page-access": "Open" }, "--page-access Open is for an address of this machine"],
  ])("refuses %j, which the daemon refuses when it starts", (given, message) => {
    expect(() => checked(given)).toThrow(message);
  });
});
