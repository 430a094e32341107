import type { RequestMessage } from '../model-request.ts';

/** One thing that was mended in a request. */
export interface Repair {
  /** The rule's name. */
  readonly rule: string;
  /** Where in the request as the rule found it: `messages[3].results[0]`. */
  readonly at: string;
  readonly what: string;
}

/** What a request may hold. The defaults are the narrowest that the large providers document. */
export interface LintLimits {
  /** Bytes of the whole request. */
  readonly bodyBytes: number;
  readonly messages: number;
  readonly images: number;
  /** Characters of one image's base64. */
  readonly imageCharacters: number;
  /** Pixels of an image's longer side. */
  readonly imagePixels: number;
  /** With more images than this, `pixelsOfMany` holds for each. */
  readonly manyImages: number;
  readonly pixelsOfMany: number;
}

export const DEFAULT_LINT_LIMITS: LintLimits = {
  bodyBytes: 32_000_000,
  messages: 100_000,
  images: 100,
  imageCharacters: 10_000_000,
  imagePixels: 8_000,
  manyImages: 20,
  pixelsOfMany: 2_000,
};

/** Which parts besides text the model takes. */
export interface TakenParts {
  readonly images: boolean;
  readonly documents: boolean;
}

export interface RuleContext {
  /** Format of the adapter that the request goes to. Absent: turns of every format are taken as its own. */
  readonly format: string | undefined;
  readonly takes: TakenParts;
  readonly limits: LintLimits;
  readonly report: (at: string, what: string) => void;
}

/**
 * Mends one kind of mistake in the messages. Returns the very array that it got when there is
 * nothing to mend, changes nothing in place, and never throws.
 */
export type MessageRule = (
  messages: readonly RequestMessage[],
  context: RuleContext,
) => readonly RequestMessage[];
