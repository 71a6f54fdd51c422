import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { VisibleText } from '../parts/VisibleText';
import { ansiSpans } from './ansiSpans';

/** Output of a terminal in the terminal's colours. */
export function AnsiText({ text }: { text: string }): JSX.Element {
  const spans = useMemo(() => ansiSpans(text), [text]);
  return (
    <>
      {spans.map((span, at) =>
        span.className === '' ? (
          <VisibleText key={at} text={span.text} />
        ) : (
          <span key={at} class={span.className}>
            <VisibleText text={span.text} />
          </span>
        ),
      )}
    </>
  );
}
