import { trimEndOf } from "./trim-characters.ts";

/** What the name of an Event has of its object's name: with what follows it has at most the 253 characters of a name. */
export function eventNamePart(name: string): string {
  return trimEndOf(name.slice(0, 200), ".-");
}
