import { digestsOf } from "./digests.mjs";

/** An in-toto statement of SLSA's provenance: which commit these files were made of. */
export function provenance(folder, commit) {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: digestsOf(folder).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://rollcall.dev/release/v1",
        externalParameters: { command: "npm run release" },
        resolvedDependencies: [{ digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: process.env.GITHUB_WORKFLOW_REF ?? "https://rollcall.dev/release/local" } },
    },
  };
}
