import { parseGoDuration } from "../../src/core/formats/go-duration.ts";
import { compilePathPatterns } from "../../src/core/path-patterns.ts";
import { cleanRemoteText, redact } from "../../src/core/remote-text.ts";
import { compileCel } from "../../src/cel/cel.ts";
import { dyn } from "../../src/cel/cel-type.ts";
import { parseDurationNanos, parseWordyDuration } from "../../src/cel/go-duration.ts";
import { parseAddress, parseNetwork } from "../../src/cel/ip-address.ts";
import { celOfJson } from "../../src/cel/json-values.ts";
import { parseUrl } from "../../src/cel/url-parts.ts";
import { compileJsonPath } from "../../src/core/json-path.ts";
import { ApiFailure } from "../../src/embedded-hub/failures/api-failure.ts";
import {
  checkConfigKey,
  checkLabel,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
} from "../../src/core/formats/kube-names.ts";
import { readRequestInfo } from "../../src/embedded-hub/request/request-info.ts";
import { fitsFormat } from "../../src/core/formats/named-formats.ts";
import { matchesPattern } from "../../src/core/formats/patterns.ts";
import { formatQuantity, isQuantityError, parseQuantity } from "../../src/core/formats/quantity.ts";
import { parseFieldTerms } from "../../src/embedded-hub/selectors/field-selector.ts";
import { parseLabelSelector } from "../../src/embedded-hub/selectors/label-selector.ts";
import { parseTime } from "../../src/core/formats/rfc3339.ts";
import { decodeContinue } from "../../src/embedded-hub/verbs/continue-token.ts";
import { repositoryPath } from "../../src/forge/forge-address.ts";
import { isBranchName } from "../../src/git/branch-name.ts";
import { isUnsafeName } from "../../src/git/objects/unsafe-name.ts";
import { parseRemoteUrl } from "../../src/git/wire/remote-url.ts";
import { matchesGlob } from "../../src/core/name-glob.ts";
import { numberOfQuantity } from "../../src/core/quantity.ts";
import { evaluatePolicies } from "../../src/policy/evaluate-policies.ts";
import { readGoScalar } from "../../src/secrets/go-scalar.ts";
import { clusterOf, policyOf, subjectOf } from "../unit/policy/policy-builders.ts";
import { randomCel } from "./random-cel.ts";
import type { CelNames } from "./random-cel.ts";
import type { Dice } from "./random-input.ts";
import { randomText } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure, takeAll } from "./target.ts";

const textOf = ({ bytes }: Input): string => Buffer.from(bytes).toString("utf8");
const document = {
  ...clusterOf("eu-1", { env: "prod", team: "a" }),
  list: Array.from({ length: 300 }, (_, index) => `item-${index}`),
  map: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key-${index}`, index])),
  text: "a".repeat(5000),
};
const policyNames: CelNames = {
  lists: ["object.list", "object.metadata.labels.map(k, k)"],
  maps: ["object.map", "object.metadata.labels"],
  texts: ["object.text", "object.metadata.name", "path", "object.kind"],
  numbers: ["1", "object.list.size()"],
};
const celNames: CelNames = { lists: ["self.list"], maps: ["self.map"], texts: ["self.text"], numbers: ["self.number"] };
const self = celOfJson({ list: document.list, map: document.map, text: document.text, number: 3 });

function cel(names: CelNames, take: (input: Input) => unknown): Target {
  return {
    seeds: [
      inputOf("", "true"),
      inputOf("", `${names.lists[0] ?? ""}.all(a, a != "")`),
      inputOf("", `${names.texts[0] ?? ""}.matches("^[a-z]{1,9}$") || duration("11h11h") > duration("1s")`),
      inputOf("", `${names.lists[0] ?? ""}.all(a, ${names.lists[0] ?? ""}.exists(b, a == b))`),
    ],
    generate: (dice) => inputOf("", randomCel(dice, names).slice(0, 4096)),
    open: pure(take),
  };
}

/** Expressions of policies, on a document with lists of three hundred texts. */
const policies = cel(policyNames, (input) =>
  evaluatePolicies([policyOf(textOf(input).slice(0, 4096))], [subjectOf(document)]),
);

/** The expressions of definitions and admission policies on the embedded hub, with a quarter of what one may cost. */
const celrules = cel(celNames, (input) => {
  const program = compileCel(textOf(input), { variables: { self: dyn } });
  if (program.kind === "program") program.run({ self }, 250_000);
});

function refusing(take: (text: string) => unknown): (input: Input) => void {
  return (input) => {
    try {
      take(textOf(input));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
    }
  };
}

const selectorParts = "a b env prod example.com/a in notin ( ) , = == != ! < > 1 \\ metadata.name".split(" ");
const labels = { env: "prod", a: "1", "example.com/a": "b" };

const selectors: Target = {
  seeds: ["env=prod,a!=b", "env in (prod, dev),!x,a>0", "metadata.name=a\\,b,metadata.namespace!=c"].map((text) =>
    inputOf("", text),
  ),
  generate: (dice) => {
    const part = (): string => (dice.next() < 0.9 ? dice.pick(selectorParts) : randomText(dice));
    const parts = Array.from({ length: dice.below(12) }, part);
    return inputOf("", parts.join(dice.pick(["", " ", ","])));
  },
  open: takeAll([
    refusing((text) => parseLabelSelector(text).matches(labels)),
    refusing((text) => parseFieldTerms(text)),
    refusing((text) => compilePathPatterns(text.split(",")).matches("clusters/eu/a.yaml")),
    refusing((text) => matchesGlob(text, "edge-eu-1-prod")),
  ]),
};

const formats = ["duration", "date-time", "uri", "email", "hostname", "cidr", "byte", "mac", "isbn", "rgbcolor"];
const textParts =
  "1 11 0 . - + e E h m s ms Mi Gi k : / // @ T Z 2026-01-01T00:00:00Z a A * ? ** .. .git ~ refs/heads/ https://a.b [ ] { } $ ' %2e".split(
    " ",
  );

function randomShortText(dice: Dice): string {
  const part = (): string => (dice.next() < 0.9 ? dice.pick(textParts) : randomText(dice));
  const text = Array.from({ length: 1 + dice.below(8) }, part).join("");
  // What a reader tries in several ways costs the more the more often it is repeated.
  return dice.next() < 0.05 ? `${text.repeat(Math.ceil(dice.below(20_000) / text.length))}${part()}` : text;
}

/** Durations, amounts, names, labels, times, addresses, paths: each reader is given each text. */
const texts: Target = {
  seeds: [
    "1h30m",
    "100m",
    "1.5Gi",
    "a.b/c-d",
    "2026-01-01T00:00:00Z",
    "https://a:b@c/d?e#f",
    "git@a:b.git",
    "a/**/*.yaml",
  ].map((text) => inputOf("", text)),
  generate: (dice) => inputOf("", randomShortText(dice)),
  open: takeAll([
    refusing(parseGoDuration),
    refusing(parseDurationNanos),
    refusing(parseWordyDuration),
    refusing((text) => {
      const quantity = parseQuantity(text);
      if (!isQuantityError(quantity)) formatQuantity(quantity);
    }),
    refusing(numberOfQuantity),
    refusing((text) => formats.map((format) => fitsFormat(format, text))),
    refusing((text) => [checkSubdomain, checkLabel, checkPathSegment].map((check) => check(text))),
    refusing((text) => [checkQualifiedName, checkLabelValue, checkConfigKey].map((check) => check(text))),
    refusing((text) => [parseTime(text), parseTime(text, true)]),
    refusing((text) => [parseAddress(text), parseNetwork(text), parseUrl(text)]),
    refusing(compileJsonPath),
    refusing((text) => readRequestInfo("GET", text)),
    refusing(decodeContinue),
    refusing((text) => matchesPattern(text.slice(0, 200), "aaaaaaaaaaaaaaaaaaaaaaaa")),
    refusing(repositoryPath),
    refusing(isBranchName),
    refusing(isUnsafeName),
    refusing(parseRemoteUrl),
    refusing(readGoScalar),
    refusing((text) => compilePathPatterns([text]).matches("clusters/eu/a.yaml")),
    refusing((text) => cleanRemoteText(text, { secrets: ["secret-of-a-server"] })),
    refusing((text) => redact(text, ["secret-of-a-server"])),
  ]),
};

/** Single texts with a grammar of their own. */
export const textTargets = { policies, selectors, texts };
/** Not within its limit yet: an error in each turn of a comprehension costs too much. */
export const openTargets = { celrules };
