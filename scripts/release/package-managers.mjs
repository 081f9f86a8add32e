// What package managers read to install a release. Both name its package by address and digest.

/** A manifest of krew: `kubectl rollcall` is then the program. It runs where Node.js does. */
export function krewManifest({ version, description, homepage, address, sha256 }) {
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: rollcall
spec:
  version: v${version}
  homepage: ${homepage}
  shortDescription: ${description}
  description: |
    Checks the files of a fleet, plans what a merge does to its clusters, and
    shows their state. \`kubectl rollcall up\` runs a whole fleet on this machine.
  caveats: |
    Needs Node.js 20.19 or later on the path.
  platforms:
    - selector:
        matchExpressions:
          - { key: os, operator: In, values: [linux, darwin] }
      uri: ${address}
      sha256: ${sha256}
      files:
        - { from: "package/*", to: . }
      bin: bin/rollcall.js
`;
}

/** A formula of Homebrew. The package has everything in it: npm asks no registry. */
export function homebrewFormula({ version, description, homepage, license, address, sha256 }) {
  return `class Rollcall < Formula
  desc "${description}"
  homepage "${homepage}"
  url "${address}"
  version "${version}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", "--offline", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/rollcall --version").strip
    (testpath/"token.yaml").write <<~YAML
      apiVersion: rollcall.dev/v1alpha1
      kind: ClusterRegistrationToken
      metadata: { name: first, namespace: fleet }
      spec: { ttl: 24h }
    YAML
    assert_match "no problems", shell_output("#{bin}/rollcall validate #{testpath}")
  end
end
`;
}
