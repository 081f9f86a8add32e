import { membersKeepTheirAgents } from "./admissions.ts";
import { appliedMeansOnHub } from "./applied-commit.ts";
import { partsAreBounded } from "./bounds.ts";
import { conditionsKeepTheirTime } from "./condition-times.ts";
import { fleetConverges } from "./convergence.ts";
import { credentialsDie } from "./credentials.ts";
import { declaredObjectsAreAsInFiles } from "./declared-clusters.ts";
import { processesEndRightly } from "./exits.ts";
import { agentsKeepToTheirOwn } from "./foreign-access.ts";
import { editsAreUndone } from "./edits-by-hand.ts";
import { forgeIsUsedWithCare } from "./forge-calls.ts";
import { forgeLimitsAreKept } from "./forge-limits.ts";
import { commitsHaveStatuses } from "./forge-statuses.ts";
import { freshDaemonAgrees } from "./fresh-start.ts";
import { heartbeatsAreToldRightly } from "./heartbeats.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { agentsAreToldToLeave } from "./leaves.ts";
import { leadersStay, leasesAreRespected, oneReplicaWrites } from "./leases.ts";
import { membersAreComplete } from "./members.ts";
import { mergesDoWhatPlansSaid } from "./merged-plans.ts";
import { noCredentialIsLeft } from "./no-credential.ts";
import { acknowledgedWritesStay } from "./notes.ts";
import { otherHubKeepsOut } from "./other-hub.ts";
import { plansComeSoon } from "./prompt-plans.ts";
import { protectedStays } from "./protection.ts";
import { pushesAreAppliedSoon } from "./promptness.ts";
import { pullRequestsHavePlans } from "./pull-requests.ts";
import { removalsAreAllowed } from "./removals.ts";
import { renamedClustersKeepTheirAgents } from "./renames.ts";
import { repositoryDescribesHead } from "./repository-state.ts";
import { reachedClustersAreServed } from "./reached-clusters.ts";
import { reportsAreFilled } from "./reports.ts";
import type { HubMirror } from "../mirror.ts";
import { peopleKnowOfRestores } from "./restored-hub.ts";
import { restAsksLittle } from "./requests.ts";
import { restIsQuiet } from "./second-run.ts";
import { recordsSayWhatTheHubSays } from "./status-records.ts";
import { statusBranchGrows } from "./status-branch.ts";
import { requestedRunsAreMade, suspendedRepositoryStays } from "./suspended-repository.ts";
import { suspendedStays } from "./suspension.ts";

/** Every promise that a run is held to. */
export function allInvariants(scene: Scene, otherMirror: HubMirror): readonly Invariant[] {
  return [
    peopleKnowOfRestores(scene),
    removalsAreAllowed(scene),
    appliedMeansOnHub(scene),
    credentialsDie(scene),
    agentsAreToldToLeave(scene),
    agentsKeepToTheirOwn(scene),
    heartbeatsAreToldRightly(scene),
    oneReplicaWrites(scene),
    suspendedStays(scene),
    suspendedRepositoryStays(scene),
    requestedRunsAreMade(scene),
    protectedStays(scene),
    conditionsKeepTheirTime(scene),
    editsAreUndone(scene),
    leasesAreRespected(scene),
    leadersStay(scene),
    statusBranchGrows(scene),
    fleetConverges(scene),
    restIsQuiet(scene),
    restAsksLittle(scene),
    partsAreBounded(scene),
    processesEndRightly(scene),
    noCredentialIsLeft(scene),
    membersAreComplete(scene),
    reportsAreFilled(scene),
    membersKeepTheirAgents(scene),
    renamedClustersKeepTheirAgents(scene),
    declaredObjectsAreAsInFiles(scene),
    reachedClustersAreServed(scene),
    repositoryDescribesHead(scene),
    pushesAreAppliedSoon(scene),
    acknowledgedWritesStay(scene),
    recordsSayWhatTheHubSays(scene),
    freshDaemonAgrees(scene),
    otherHubKeepsOut(scene, otherMirror),
    pullRequestsHavePlans(scene),
    plansComeSoon(scene),
    forgeIsUsedWithCare(scene),
    forgeLimitsAreKept(scene),
    commitsHaveStatuses(scene),
    mergesDoWhatPlansSaid(scene),
  ];
}
