/**
 * Test files that take more than three seconds of processor time, most of it in processes or daemons that they start and end: the
 * program killed at one write after another, a hub that is lost and restored, a setting that takes effect after the other. So do
 * three that test tools of this repository, and one that measures requests. `npm test` leaves them out; `npm run test:long`, which
 * CI runs, has them. The main suite of each kind of agent, `e2e/run` and `e2e/echoed-tokens` take as much, and stay: each push has
 * to show that agents join, that the program starts as a whole, and that it prints no token. `e2e/workflows` leaves variants out
 * instead.
 */
export const longFiles: readonly string[] = [
  "test/contract/agent/hours-pass.test.ts",
  "test/contract/daemon/approvals-of-left-history.test.ts",
  "test/contract/daemon/settings-take-effect.test.ts",
  "test/contract/daemon/two-hubs.test.ts",
  "test/contract/embedded-node/embedded.test.ts",
  "test/contract/life/embedded.test.ts",
  "test/contract/simulation/simulator.test.ts",
  "test/e2e/bomb-branch.test.ts",
  "test/e2e/first-minutes.test.ts",
  "test/e2e/generate.test.ts",
  "test/e2e/hostile-member.test.ts",
  "test/e2e/hub-goes-away.test.ts",
  "test/e2e/kill.test.ts",
  "test/e2e/killed-commands.test.ts",
  "test/e2e/killed-restore.test.ts",
  "test/e2e/many-connections.test.ts",
  "test/e2e/many-files.test.ts",
  "test/e2e/options-of-run.test.ts",
  "test/e2e/options-of-up.test.ts",
  "test/e2e/package.test.ts",
  "test/e2e/restore.test.ts",
  "test/e2e/secrets.test.ts",
  "test/e2e/single-file.test.ts",
  "test/e2e/suspended.test.ts",
  "test/e2e/tutorial.test.ts",
  "test/e2e/typed-docs.test.ts",
  "test/e2e/unread-output.test.ts",
  "test/e2e/up-again.test.ts",
  "test/e2e/up.test.ts",
  "test/unit/embedded-hub/cost/filled-objects.test.ts",
  "test/unit/fuzz/run-target.test.ts",
  "test/unit/schemas/generate.test.ts",
];
