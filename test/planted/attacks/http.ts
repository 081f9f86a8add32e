import type { FaultRow } from "../attack-faults.ts";

/** What clients of the listening servers try: connections, streams, bodies, tokens. */
export const httpFaults: readonly FaultRow[] = [
  {
    number: "A130",
    name: "the one text of a signature",
    test: "unit/embedded-hub/auth/authenticator-many-tokens.test.ts",
    file: "src/embedded-hub/auth/jwt.ts",
    from: 'if (signature.toString("base64url") !== written) return false;',
    to: "",
  },
  {
    number: "A130",
    name: "the weight of a token that was checked",
    test: "unit/embedded-hub/auth/authenticator-many-tokens.test.ts",
    file: "src/embedded-hub/auth/authenticator.ts",
    from: "weightOf: ({ characters }) => characters,",
    to: "weightOf: () => 1,",
  },
  {
    number: "A130",
    name: "the longest token that is kept",
    test: "unit/embedded-hub/auth/authenticator-many-tokens.test.ts",
    file: "src/embedded-hub/auth/authenticator.ts",
    from: "const isKept = token.length <= longestChecked;",
    to: "const isKept = true;",
  },
  {
    number: "A131",
    name: "the audience of a bootstrap token",
    test: "unit/embedded-hub/auth/authenticator-choices.test.ts",
    file: "src/embedded-hub/auth/authenticator.ts",
    from: "if (user === undefined || audiences.length === 0)",
    to: "if (user === undefined)",
  },
];
