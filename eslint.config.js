import regexp from "eslint-plugin-regexp";
import tseslint from "typescript-eslint";
import { ownKeys } from "./scripts/own-keys-rule.mjs";

/** A delay over 24.8 days fires at once in setTimeout, and one of NaN too; a constant one does neither. */
const timerMessage = "Delays are timed by src/core/timer.ts or the clock: setTimeout takes 24.8 days at most.";
const bareTimers = [
  { selector: "CallExpression[callee.name=/^set(Timeout|Interval)$/]", message: timerMessage },
  { selector: "MemberExpression[object.name='AbortSignal'][property.name='timeout']", message: timerMessage },
  {
    selector: "ImportDeclaration[source.value=/timers.promises$/] ImportSpecifier[imported.name!='setImmediate']",
    message: timerMessage,
  },
];

/** What oxlint cannot check: .oxlintrc.json has all other rules. */
export default tseslint.config(
  { ignores: ["src/model/generated/"] },
  {
    files: ["src/**/*.ts", "src/**/*.tsx"],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: "off" },
    plugins: { regexp, rollcall: { rules: { "own-keys": ownKeys } } },
    rules: {
      // Texts come from strangers: no expression may take more than linear time, and some of these take exponential time.
      // A key of a stranger never finds what every object inherits.
      "rollcall/own-keys": "error",
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }],
      "no-restricted-properties": [
        "error",
        { object: "process", property: "env", message: "Only src/settings/options.ts reads the environment." },
        { object: "Math", property: "random", message: "Random is passed in from cli." },
        { object: "Date", property: "now", message: "Time is passed in from cli (core/clock.ts)." },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Named exports only." },
        {
          selector:
            "CallExpression[callee.property.name=/^(?:push|unshift|splice|max|min|fromCharCode)$/] > SpreadElement",
          message: "A long list overflows the stack: core/append-all.ts, core/extremes.ts.",
        },
        ...bareTimers,
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: "Time is passed in from cli (core/clock.ts).",
        },
      ],
    },
  },
  {
    files: [
      "src/{cli,daemon,demo,recovery,install,settings,system,agent-process,work-tree,secrets}/**/*.ts",
      "src/main.ts",
    ],
    rules: { "no-restricted-properties": "off", "no-restricted-syntax": ["error", ...bareTimers] },
  },
  {
    // The one home of timers.
    files: ["src/core/timer.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    // A browser has one clock, and nothing that is tested against it.
    files: ["src/web/dashboard/browser/**"],
    rules: { "rollcall/own-keys": "off", "no-restricted-properties": "off", "no-restricted-syntax": "off" },
  },
);
