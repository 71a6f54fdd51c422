import type { JSX } from 'preact';
import { findControls, type Strictness } from '../text/controls';

/** A text that hides nothing: characters that are invisible or reorder others are labelled. */
export function VisibleText({ text, strictness = 'code' }: { text: string; strictness?: Strictness }): JSX.Element {
  const parts = findControls(text, strictness);
  return (
    <>
      {parts.map((part, at) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={at} class="block-control">
            {part.label}
          </span>
        ),
      )}
    </>
  );
}
