import { expect, it } from "vitest";
import { advertisedAddress } from "../../../../src/embedded-hub/controllers/advertised-address.ts";

const interfaces = {
  lo: [{ address: "127.0.0.1", family: "IPv4" as const, internal: true }],
  eth0: [
    { address: "fe80::1", family: "IPv6" as const, internal: false },
    { address: "192.0.2.7", family: "IPv4" as const, internal: false },
  ],
};

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  ["0.0.0.0", "192.0.2.7"],
  ["::", "192.0.2.7"],
  ["127.0.0.1", undefined],
  ["::1", undefined],
  ["localhost", undefined],
])("a hub that listens on %s is reached from elsewhere at %s", (host, address) => {
  expect(advertisedAddress(host, interfaces)).toBe(address);
});
