import type { FaultRow } from "../attack-faults.ts";

/** Mechanisms of the controllers of members and of the decisions on requests to join. */
export const memberFaults: readonly FaultRow[] = [
  {
    number: "A282",
    name: "the proof that a cluster of another workspace is the successor of a lost one",
    test: "unit/hub/state-without-cluster.test.ts",
    file: "src/hub/state-without-cluster.ts",
    from: "if (found.workspace === workspace || isNamed)",
    to: "if (isNamed || true)",
  },
  {
    number: "A283",
    name: "the refusal of names that clusters have until they are renamed",
    test: "unit/join/rollcall/hub/claim.test.ts",
    file: "src/join/rollcall/hub/claim.ts",
    from: "if (member !== undefined && !isThere(member))",
    to: "if (false)",
  },
  {
    number: "A284",
    name: "the end of credentials before all else of a pass",
    test: "unit/hub/controllers/reconcile-member.test.ts",
    file: "src/hub/controllers/reconcile-member.ts",
    from: "  revokeCredentials,\n",
    to: "",
  },
  {
    number: "A284",
    name: "the end of credentials of a cluster whose identity is lost",
    test: "unit/hub/controllers/reconcile-member.test.ts",
    file: "src/join/rollcall/hub/kept-objects.ts",
    from: "member.children.filter(({ kind }) => !credentialKinds.includes(kind))",
    to: "member.children",
  },
  {
    number: "A285",
    name: "the one count of requests by tokens that have ended",
    test: "unit/join/rollcall/hub/expired-registrations.test.ts",
    file: "src/join/rollcall/hub/expired-registrations.ts",
    from: '  "TokenClosed",\n',
    to: "",
  },
  {
    number: "A286",
    name: "a successor is remembered when nothing of it is left",
    test: "unit/hub/members/phases/forget-predecessor.test.ts",
    file: "src/hub/members/phases/forget-predecessor.ts",
    from: "takenOverBy !== undefined && (successorOf(member) !== undefined || isLeft(takenOverBy));",
    to: "takenOverBy !== undefined;",
  },
  {
    number: "A287",
    name: "two clusters with one import token admit none",
    test: "unit/join/fleet/hub/admission-rule.test.ts",
    file: "src/join/fleet/hub/admission-rule.ts",
    from: '  if (other !== undefined) return "TokenAmbiguous";\n',
    to: "",
  },
  {
    number: "A287",
    name: "only members that the hub installs have an import token",
    test: "unit/join/fleet/hub/admission-rule.test.ts",
    file: "src/join/fleet/hub/admission-rule.ts",
    from: "named.filter(isInstalled)",
    to: "named",
  },
];
