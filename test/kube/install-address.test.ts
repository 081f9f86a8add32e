import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeInstallAddress } from "../contract/cli/install-address-suite.ts";
import { realHub } from "../support/hub-under-test.ts";
import { sharedControlPlane } from "../support/shared-control-plane.ts";
import { runKubectl } from "./kubectl/run-kubectl.ts";

describeInstallAddress("a real kube-apiserver", realHub, async (url) => {
  const home = await mkdtemp(join(tmpdir(), "rollcall-kubectl-"));
  const args = ["create", "--dry-run=client", "-o", "name", "-f", url];
  const { text } = await runKubectl(sharedControlPlane().kubeconfigPath, args, { home });
  await rm(home, { recursive: true, force: true });
  return text;
});
