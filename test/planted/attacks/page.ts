import type { FaultRow } from "../attack-faults.ts";

/** Faults in what viewers of the page may ask for. */
export const pageFaults: readonly FaultRow[] = [
  {
    number: "A157",
    name: "the turns of those who ask for clusters",
    test: "unit/web/dashboard/api-routes.test.ts",
    file: "src/web/dashboard/api-routes.ts",
    from: "createTurnsOfUsers(detailLimits)",
    to: "createTurnsOfUsers({ atOnce: 1e9, waiting: 1e9 })",
  },
  {
    number: "A157",
    name: "the newest commits that are kept",
    test: "unit/daemon/page/page-commits.test.ts",
    file: "src/daemon/page/page-commits.ts",
    from: "if (this.#newest?.head === head) return this.#newest.commits;",
    to: "",
  },
  {
    number: "A157",
    name: "the commit with too many files, which is read once",
    test: "unit/daemon/page/page-commits.test.ts",
    file: "src/daemon/page/page-commits.ts",
    from: "      keep(this.#files, id, [], mostSearched);\n",
    to: "",
  },
  {
    number: "A167",
    name: "the turns of requests",
    test: "unit/web/web.test.ts",
    file: "src/web/web.ts",
    from: "if (!arrivals.take(socket, strangers, { head, begin })) socket.destroy();",
    to: "if (!begin()) arrivals.take(socket, strangers, { head, begin });",
  },
  {
    number: "A191",
    name: "the masks of the page's plans",
    test: "unit/planning/views/views.test.ts",
    file: "src/planning/views/plan-view.ts",
    from: "const { path, from, to, isHidden } = maskField(field);",
    to: "const { path, from, to, isHidden } = field as ReturnType<typeof maskField>;",
  },
  {
    number: "A194",
    name: "the count of labels that are not shown",
    test: "unit/planning/views/views.test.ts",
    file: "src/planning/views/plan-view.ts",
    from: "fieldsLeft: left > 0 ? left : undefined,",
    to: "fieldsLeft: undefined,",
  },
  {
    number: "A196",
    name: "printable texts in the page's answers",
    test: "unit/web/dashboard/page-answers.test.ts",
    file: "src/web/dashboard/page-answers.ts",
    from: "return jsonText(request, writePrintable(value));",
    to: "return jsonText(request, JSON.stringify(value));",
  },
  {
    number: "A196",
    name: "printable texts in the page's events",
    test: "unit/web/dashboard/event-hub.test.ts",
    file: "src/web/dashboard/event-hub.ts",
    from: "data: ${writePrintable(value)}",
    to: "data: ${JSON.stringify(value)}",
  },
];
