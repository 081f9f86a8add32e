import { describe, expect, it } from "vitest";
import { openForgeHttp } from "../../../src/forge/open-forge-http.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const options = {
  provider: "Gitea",
  repositoryUrl: "https://git.example.com/acme/fleet.git",
  clock: createManualClock(),
} as const;

describe("openForgeHttp", () => {
  it("takes the token of a file, which ends with a line", async () => {
    const { http, address } = openForgeHttp({ ...options, token: "abc\n" });
    expect(address.repository).toBe("acme/fleet");
    await http.close();
  });

  it.each(["", " \n", "a b", "a\r\nx-other: 1", "ä"])("refuses the token %j, which no header may carry", (token) => {
    expect(() => openForgeHttp({ ...options, token })).toThrow(
      /the token is empty or has characters that no token has/u,
    );
  });
});
