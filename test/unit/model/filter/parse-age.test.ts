import { expect, it } from "vitest";
import { parseAge } from "../../../../src/model/filter/parse-age.ts";

it.each([
  { text: "45s", ms: 45_000 },
  { text: "3h5m", ms: 11_100_000 },
  { text: "8d", ms: 691_200_000 },
  { text: "", ms: undefined },
  { text: "5", ms: undefined },
  { text: "h", ms: undefined },
  { text: "5x", ms: undefined },
])("parseAge reads $text as $ms", ({ text, ms }) => {
  expect(parseAge(text)).toBe(ms);
});
