import { isAppError } from "../../src/core/errors.ts";
import type { Dice } from "./random-input.ts";

/** Bytes of others, and what they are sent as: a content type, a method, a status. Changes of the bytes keep the form. */
export interface Input {
  /** Without a dash; empty for a target with one form. */
  readonly form: string;
  readonly bytes: Uint8Array;
}

/** Something that takes bytes of others. `take` resolves for every input that is taken or refused as it should be. */
export interface Target {
  /** Inputs that have a meaning; mutations begin with them. */
  readonly seeds: readonly Input[];
  readonly generate: (dice: Dice) => Input;
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly take: (input: Input) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function inputOf(form: string, content: string | Uint8Array): Input {
  return { form, bytes: Buffer.from(content) };
}

/** A target without anything to open. A refusal is an AppError that is no bug. */
export function pure(take: (input: Input) => unknown): Target["open"] {
  return takeAll([take]);
}

/** A target of several functions without anything to open: each is given every input. */
export function takeAll(takes: readonly ((input: Input) => unknown)[]): Target["open"] {
  const takeEach = async (input: Input): Promise<void> => {
    for (const take of takes) {
      try {
        const result = take(input);
        if (result instanceof Promise) await result;
      } catch (error) {
        if (!isAppError(error) || error.recovery === "bug") throw error;
      }
    }
  };
  return async () => ({ take: takeEach, close: async () => undefined });
}
