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

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "dist-image/",
      "dist-single/",
      "node_modules/",
      "coverage/",
      "site/",
      "schemas/generated/",
      "**/golden/",
      ".rollcall*/",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["*.js", "bin/*.js", "scripts/*.mjs"] } },
    },
    rules: {
      "max-lines": ["error", { max: 400, skipBlankLines: false, skipComments: false }],
      "max-params": ["error", 4],
      eqeqeq: "error",
      "no-console": "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/require-await": "off",
      // A failure of CEL is a value: a loop may make one a round, and a stack would cost more than the round.
      "@typescript-eslint/only-throw-error": ["error", { allow: [{ from: "file", name: "CelError" }] }],
      "@typescript-eslint/restrict-template-expressions": "off",
    },
  },
  {
    files: ["src/**/*.ts", "src/**/*.tsx"],
    plugins: { regexp, rollcall: { rules: { "own-keys": ownKeys } } },
    rules: {
      // A name inside another of the same name reads the wrong one after a rename, and types do not notice.
      "@typescript-eslint/no-shadow": ["error", { hoist: "functions" }],
      // A function with more than one idea is split: data in, data out.
      "max-lines-per-function": ["error", { max: 80 }],
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
  {
    // Checked by the types alone. Not ignored: whoever lints the files of a change may name one of these.
    files: ["src/model/generated/**"],
    ...tseslint.configs.disableTypeChecked,
    rules: { ...tseslint.configs.disableTypeChecked.rules, "max-lines": "off" },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "CallExpression[callee.property.name='end'][callee.object.property.name='stdin'][arguments.length>0]",
          message: "A program that ends before it has read this ends the tests: test/support/give-input.ts.",
        },
      ],
    },
  },
  {
    // Read by every Node.js, however old.
    files: ["bin/**"],
    languageOptions: { sourceType: "commonjs" },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  {
    files: ["scripts/**", "bin/**", "test/bench/**", "test/support/*.mjs", "*.js"],
    ...tseslint.configs.disableTypeChecked,
    rules: { ...tseslint.configs.disableTypeChecked.rules, "no-console": "off" },
  },
);
